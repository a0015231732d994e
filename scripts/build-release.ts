/**
 * Builds the files of a release, for all platforms or for those in the arguments:
 *   node scripts/build-release.ts <folder for archives> <folder for npm packages> [platform…]
 * Needs the libraries and the licences in dist/, which `npm run build` creates.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveName } from '../src/release/release-source.ts';
import { ROOT } from './build-constants.ts';
import { buildExecutable } from './build-executable.ts';
import { packFolder, assembleMain, assemblePlatform } from './pack-npm.ts';
import { packArchive } from './pack-release.ts';
import { findPlatform, PLATFORMS, type Platform } from './platforms.ts';
import { LICENCES_NAME } from './third-party-licences.ts';

const [archives, packages, ...names] = process.argv.slice(2);
if (archives === undefined || packages === undefined)
  throw new Error('usage: build-release.ts <folder for archives> <folder for npm packages> [platform…]');

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const work = mkdtempSync(join(tmpdir(), 'deed-release-'));
try {
  for (const folder of [archives, packages]) mkdirSync(folder, { recursive: true });
  for (const platform of names.length === 0 ? PLATFORMS : names.map(findPlatform))
    await buildFor(platform, archives, packages);
  await assembleMain(join(work, 'main'));
  console.log(packFolder(join(work, 'main'), packages));
  copyFileSync(join(ROOT, 'dist/bin', LICENCES_NAME), join(archives, LICENCES_NAME));
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function buildFor(platform: Platform, archiveFolder: string, packageFolder: string): Promise<void> {
  const outfile = join(work, platform.name, 'deed');
  await buildExecutable({ outfile, platform });
  const archive = join(archiveFolder, archiveName(version, platform.os, platform.archiveArch));
  writeFileSync(
    archive,
    packArchive(readFileSync(outfile), join(ROOT, 'skills/deed'), 9, join(ROOT, 'share')),
  );
  assemblePlatform(join(work, platform.name, 'package'), platform, outfile);
  console.log(archive);
  console.log(packFolder(join(work, platform.name, 'package'), packageFolder));
  rmSync(join(work, platform.name), { recursive: true });
}
