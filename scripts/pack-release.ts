/**
 * Writes the metadata of a release, after scripts/build-release.ts built its archives:
 *   node scripts/pack-release.ts describe <folder>   writes checksums.txt and release.json, the installer, a Homebrew formula and a Dockerfile
 *   node scripts/pack-release.ts notes <file>        writes the release notes, the section of this version in CHANGELOG.md
 * The workflow then signs checksums.txt.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseChangelog } from '../src/release/parse-changelog.ts';
import { CHECKSUMS_NAME, METADATA_NAME } from '../src/release/release-source.ts';
import { EXECUTABLE_NAME, SKILL_PREFIX } from '../src/release/unpack-release.ts';
import { renderDockerfile, renderFormula } from './release-recipes.ts';
import { writeCompressedTar, type TarMember } from './write-tar.ts';

const SHARE_PREFIX = 'share/';
const INSTALLER = 'install.sh';

/** Packs the executable, the Skill, and manual page and completions into one archive with a gzip compression level. */
export function packArchive(
  executable: Uint8Array,
  skillFolder: string,
  level = 9,
  shareFolder?: string,
): Buffer {
  const members: TarMember[] = [
    { path: EXECUTABLE_NAME, mode: 0o755, content: executable },
    ...membersOf(skillFolder, SKILL_PREFIX),
    ...(shareFolder === undefined ? [] : membersOf(shareFolder, SHARE_PREFIX)),
  ];
  return writeCompressedTar(members, level);
}

function membersOf(folder: string, prefix: string): TarMember[] {
  return filesBelow(folder).map((path) => ({
    path: `${prefix}${path}`,
    mode: 0o644,
    content: readFileSync(join(folder, path)),
  }));
}

/** Renders checksums in the format of `sha256sum`. */
export function renderChecksums(files: ReadonlyMap<string, Uint8Array>): string {
  return [...files].map(([name, content]) => `${sha256(content)}  ${name}\n`).join('');
}

/** Renders `release.json`: the version and the changelog. */
export function renderReleaseMetadata(version: string, changelog: string): string {
  return `${JSON.stringify({ version, changelog: parseChangelog(changelog) })}\n`;
}

/** Returns the changelog section of one version; fails for a version without a section, which is not ready for a release. */
export function renderNotes(version: string, changelog: string): string {
  const section = changelog.split(/^(?=## \[)/mu).find((text) => text.startsWith(`## [${version}]`));
  const notes = section?.slice(section.indexOf('\n')).trim() ?? '';
  if (notes === '') throw new Error(`CHANGELOG.md has no section for ${version}.`);
  return `${notes}\n`;
}

/** The hash of Node, because the one in src/base is slow on Node for large files. */
function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replace(/^\/+/u, ''))
    .sort();
}

function main([step, ...args]: readonly string[]): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [out] = args;
  if (step === 'describe' && out) {
    writeFileSync(join(out, METADATA_NAME), renderReleaseMetadata(version, changelog));
    copyFileSync(join(root, 'scripts', INSTALLER), join(out, INSTALLER));
    const names = readdirSync(out).filter(
      (name) =>
        name.endsWith('.tar.gz') ||
        name.endsWith('.cdx.json') ||
        name === METADATA_NAME ||
        name === INSTALLER,
    );
    const files = new Map(names.sort().map((name) => [name, readFileSync(join(out, name))] as const));
    writeFileSync(join(out, CHECKSUMS_NAME), renderChecksums(files));
    const hashes = new Map([...files].map(([name, content]) => [name, sha256(content)] as const));
    writeFileSync(join(out, 'deed.rb'), renderFormula(version, hashes));
    writeFileSync(join(out, 'Dockerfile'), renderDockerfile(version, hashes));
  } else if (step === 'notes' && out) {
    writeFileSync(out, renderNotes(version, changelog));
  } else {
    throw new Error('usage: pack-release.ts describe <folder> | notes <file>');
  }
}

if (import.meta.main) main(process.argv.slice(2));
