import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseChecksums } from '../src/release/parse-checksums.ts';
import { archiveName } from '../src/release/release-source.ts';
import { RELEASE_TRUST, signerIdentity } from '../src/release/release-trust.ts';
import { unpackRelease } from '../src/release/unpack-release.ts';
import { ROOT } from './build-constants.ts';
import { renderNotes } from './pack-release.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly strategy?: { readonly matrix: { readonly include: readonly Record<string, string>[] } };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const FILE = '.github/workflows/release.yml';
const workflow = parse(readFileSync(join(ROOT, FILE), 'utf8')) as {
  readonly on: { readonly push: { readonly tags: readonly string[] } };
  readonly jobs: { readonly build: Job; readonly publish: Job };
};
const { build, publish } = workflow.jobs;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const platforms = build.strategy?.matrix.include ?? [];

/** The commands of a job that can run without GitHub, with what the matrix puts into them. */
function commandsWith(job: Job, part: string, values: Readonly<Record<string, string>> = {}): string[] {
  return job.steps
    .flatMap(({ run }) => (run?.includes(part) ? [run] : []))
    .map((run) => run.replaceAll(/\$\{\{ matrix\.(\w+) \}\}/gu, (_, name: string) => values[name] ?? ''));
}

describe('the release workflow', () => {
  let folder = '';
  const bash = (command: string): string =>
    execFileSync('bash', ['-eo', 'pipefail', '-c', command], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: `${ROOT}node_modules/.bin${delimiter}${process.env.PATH}`,
        GITHUB_REF_NAME: `v${version}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  /** A checkout in small: the script with what it imports, and a program in place of the build. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'deed-release-'));
    for (const path of ['scripts', 'src/release', 'src/base', 'skills', 'CHANGELOG.md', 'package.json'])
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'dist/standalone'), { recursive: true });
    mkdirSync(join(folder, 'dist/bin'), { recursive: true });
    writeFileSync(join(folder, 'dist/standalone/deed'), 'program');
    writeFileSync(join(folder, 'dist/bin/THIRD_PARTY_LICENCES.txt'), 'licences');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is the signer that an update trusts, at the tag of a version', () => {
    expect(signerIdentity(RELEASE_TRUST, version)).toContain(`/${FILE}@refs/tags/v`);
    expect(workflow.on.push.tags).toEqual(['v*']);
    expect(publish.permissions).toMatchObject({ 'id-token': 'write', contents: 'write' });
  });

  it('packs under the names that an update asks for, with checksums over all that is signed', async () => {
    for (const values of platforms) {
      rmSync(join(folder, 'release'), { recursive: true, force: true });
      for (const command of commandsWith(build, 'pack-release.ts', values)) bash(command);
      expect(readdirSync(join(folder, 'release'))).toEqual([
        archiveName(version, values.platform ?? '', values.arch ?? ''),
      ]);
    }
    for (const command of commandsWith(publish, 'pack-release.ts')) bash(command);
    const names = readdirSync(join(folder, 'release')).sort();
    const packed = archiveName(version, 'darwin', 'arm64');
    expect(names).toEqual(['THIRD_PARTY_LICENCES.txt', 'checksums.txt', packed, 'release.json']);
    const checksums = parseChecksums(readFileSync(join(folder, 'release/checksums.txt'), 'utf8'));
    expect([...checksums.keys()]).toEqual([packed, 'release.json']);
    const unpacked = await unpackRelease(readFileSync(join(folder, 'release', packed)), packed);
    expect(unpacked.executable.toString()).toBe('program');
    expect(unpacked.skill.map(({ path }) => path)).toContain('SKILL.md');
  });

  it('is for Linux on both processors and for macOS', () => {
    expect(platforms.map(({ platform, arch }) => `${platform}-${arch}`)).toEqual([
      'linux-x64',
      'linux-arm64',
      'darwin-arm64',
    ]);
  });

  it('refuses a tag that is not the version, before it builds anything', () => {
    const [check = ''] = commandsWith(build, 'GITHUB_REF_NAME');
    expect(bash(check)).toBe('');
    expect(() => bash(check.replace('$GITHUB_REF_NAME', 'v0.0.0'))).toThrow('Command failed');
  });

  it('publishes the section of the changelog as its notes', () => {
    for (const command of commandsWith(publish, 'notes.md').slice(0, 1)) bash(command);
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toMatch(/^### Added\n\n- /u);
    expect(commandsWith(publish, 'gh release create')[0]).toContain('--notes-file notes.md');
  });

  it('makes a version before a version the newest for nobody', () => {
    const [release = '', npm = ''] = [
      ...commandsWith(publish, 'gh release'),
      ...commandsWith(publish, 'npm publish'),
    ];
    const told = (command: string, tag: string): string =>
      bash(`gh() { echo "$@"; }; npm() { echo "$@"; }; GITHUB_REF_NAME=${tag}; ${command}`);
    expect(
      [told(release, 'v1.0.0'), told(release, 'v1.0.0-rc.1')].map((line) => line.includes('--prerelease')),
    ).toEqual([false, true]);
    expect(
      [told(npm, 'v1.0.0'), told(npm, 'v1.0.0-rc.1')].map((line) => line.trim().split(' ').at(-1)),
    ).toEqual(['latest', 'next']);
  });

  it('signs in to the registry that it publishes to', () => {
    const at = publish.steps.findIndex(({ run }) => run?.startsWith('npm publish'));
    const node = publish.steps.slice(0, at).find(({ uses }) => uses?.startsWith('actions/setup-node@'));
    expect(publish.steps[at]?.env).toHaveProperty('NODE_AUTH_TOKEN');
    expect(node?.with).toHaveProperty('registry-url');
  });
});

describe('release notes', () => {
  const CHANGELOG =
    '# Changelog\n\n## [Unreleased]\n\n- soon\n\n## [1.1.0] - 2026-01-02\n\n### Fixed\n\n- it\n\n## [1.0.0] - 2026-01-01\n\n- first\n';

  it('are the section of that version and nothing of its neighbours', () => {
    expect(renderNotes('1.1.0', CHANGELOG)).toBe('### Fixed\n\n- it\n');
    expect(renderNotes('1.0.0', CHANGELOG)).toBe('- first\n');
  });

  it('are refused for a version that the changelog does not tell of', () => {
    expect(() => renderNotes('2.0.0', CHANGELOG)).toThrow('says nothing about 2.0.0');
    expect(() => renderNotes('1.1', CHANGELOG)).toThrow('says nothing about 1.1');
  });
});
