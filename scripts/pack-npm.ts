/**
 * Packs the npm packages: deed-cli, and one package with the executable for each platform.
 *   node scripts/pack-npm.ts main <folder>                            needs the libraries in dist/
 *   node scripts/pack-npm.ts platform <name> <executable> <folder>    for a platform of scripts/platforms.ts
 * Only the packed manifest lists the platform packages, because a checkout must install before they are published, and the programs, because
 * npx would install a checkout that lists them into its cache.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_NAMES } from '../src/system/program-names.ts';
import { PROGRAM_VARIABLE } from '../src/system/program-variable.ts';
import { ROOT } from './build-constants.ts';
import { bundle } from './bundle.ts';
import { findPlatform, PLATFORMS, type Platform } from './platforms.ts';
import { LICENCES_NAME } from './third-party-licences.ts';

interface Manifest {
  readonly version: string;
  readonly [member: string]: unknown;
}

/** Members of the manifest that are only for the checkout. */
const CHECKOUT_MEMBERS = new Set(['private', 'devDependencies', 'overrides', 'allowScripts']);
const SHARED_FILES = [
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'skills',
  'contract',
  'schemas',
  'share',
  'dist/lib',
  'dist/types',
];

export function platformPackageName({ name }: Platform): string {
  return `@deed-cli/${name}`;
}

/** Copies the files of deed-cli into a folder: libraries, types, Skill, and launchers instead of the executable. */
export async function assembleMain(folder: string, manifest = readManifest()): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const path of SHARED_FILES) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  copyFileSync(join(ROOT, 'dist/bin', LICENCES_NAME), join(folder, LICENCES_NAME));
  writeJson(join(folder, 'package.json'), mainManifest(manifest));
  await assembleLauncher(join(folder, 'dist'));
}

/** Writes the launchers into a folder: one for each program, the shared code and the install script. */
export async function assembleLauncher(folder: string): Promise<void> {
  const entries = { launcher: 'src/bin/launcher.ts', 'replace-launcher': 'src/bin/replace-launcher.ts' };
  await bundle({ entries, folder: join(folder, 'launcher'), format: 'cjs', target: 'node18' });
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  // The package has the type `module`; the programs have no extension and are CommonJS.
  writeJson(join(bin, 'package.json'), { type: 'commonjs' });
  for (const name of PROGRAM_NAMES) {
    const start = `require('../launcher/launcher.cjs').launch('${name}');`;
    writeProgram(join(bin, name), `#!/usr/bin/env node\n${start}\n`);
    // Hooks and configurations of 0.1.0 contain the paths of these files.
    writeProgram(join(bin, `${name}.cjs`), `#!/usr/bin/env node\n${start}\n`);
  }
}

/** Copies the files of a platform package into a folder. */
export function assemblePlatform(
  folder: string,
  platform: Platform,
  executable: string,
  manifest = readManifest(),
): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeJson(join(folder, 'package.json'), platformManifest(platform, manifest));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(ROOT, 'dist/bin', LICENCES_NAME), join(folder, LICENCES_NAME));
  copyFileSync(executable, join(folder, 'bin/deed'));
  chmodSync(join(folder, 'bin/deed'), 0o755);
  // npm packages contain no links. Hooks use the vybe next to the executable, which works without Node.
  for (const name of PROGRAM_NAMES.filter((program) => program !== 'deed'))
    writeProgram(
      join(folder, 'bin', name),
      `#!/bin/sh\n${PROGRAM_VARIABLE}=${name} exec "\${0%/*}/deed" "$@"\n`,
    );
}

/** Packs an assembled folder with npm; returns the path of the tarball. */
export function packFolder(folder: string, destination: string): string {
  mkdirSync(destination, { recursive: true });
  const answer = execFileSync(
    'npm',
    ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', destination],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [packed] = JSON.parse(answer) as [{ readonly filename: string }];
  return join(destination, packed.filename.replace('@', '').replace('/', '-'));
}

function mainManifest(manifest: Manifest): object {
  const kept = Object.entries(manifest).filter(([member]) => !CHECKOUT_MEMBERS.has(member));
  return {
    ...Object.fromEntries(kept),
    // For `npx deed-cli`.
    bin: Object.fromEntries([
      ...PROGRAM_NAMES.map((name) => [name, `dist/bin/${name}`]),
      ['deed-cli', 'dist/bin/deed'],
    ]),
    man: ['share/man/man1/deed.1'],
    scripts: { postinstall: 'node dist/launcher/replace-launcher.cjs' },
    optionalDependencies: Object.fromEntries(
      PLATFORMS.map((platform) => [platformPackageName(platform), manifest.version]),
    ),
  };
}

function platformManifest(platform: Platform, { version, license, repository }: Manifest): object {
  return {
    name: platformPackageName(platform),
    version,
    description: `The executable of deed-cli for ${platform.name}.`,
    license,
    repository,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc !== undefined && { libc: [platform.libc] }),
    preferUnplugged: true,
  };
}

function writeProgram(path: string, text: string): void {
  // The path may be a link to the executable.
  rmSync(path, { force: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
}

async function main([kind, ...args]: readonly string[]): Promise<void> {
  const parent = join(ROOT, 'dist/npm');
  const [name, executable, folder] = args;
  if (kind === 'main' && name !== undefined) {
    await assembleMain(join(parent, 'deed-cli'));
    console.log(packFolder(join(parent, 'deed-cli'), name));
  } else if (kind === 'platform' && name !== undefined && executable !== undefined && folder !== undefined) {
    assemblePlatform(join(parent, name), findPlatform(name), executable);
    console.log(packFolder(join(parent, name), folder));
  } else {
    throw new Error('usage: pack-npm.ts main <folder> | platform <name> <executable> <folder>');
  }
}

if (import.meta.main) await main(process.argv.slice(2));
