import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseChecksums } from '../src/release/parse-checksums.ts';
import { findProgram } from '../src/system/find-program.ts';
import { archiveName } from '../src/release/release-source.ts';
import { RELEASE_TRUST, signerIdentity } from '../src/release/release-trust.ts';
import { ROOT } from './build-constants.ts';
import { renderNotes } from './pack-release.ts';
import { PLATFORMS } from './platforms.ts';

interface Step {
  readonly run?: string;
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly strategy?: { readonly matrix: { readonly include?: readonly { readonly name: string }[] } };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const FILE = '.github/workflows/release.yml';
const TEXT = readFileSync(join(ROOT, FILE), 'utf8');
const workflow = parse(TEXT) as {
  readonly on: { readonly push: { readonly tags: readonly string[] } };
  readonly jobs: {
    readonly test: Job;
    readonly build: Job;
    readonly start: Job;
    readonly sign: Job;
    readonly npm: Job;
    readonly publish: Job;
  };
};
const { test, build, start, sign, npm, publish } = workflow.jobs;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** The commands of a job that do not need GitHub. */
function commandsWith(job: Job, part: string): string[] {
  return job.steps.flatMap(({ run }) => (run?.includes(part) ? [run] : []));
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

  /** A minimal checkout: the scripts with their imports, and placeholder files instead of the builds. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'deed-release-'));
    for (const path of ['scripts', 'src/release', 'src/base', 'CHANGELOG.md', 'package.json'])
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const name of ['release', 'npm']) mkdirSync(join(folder, name));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is the signer that an update trusts, at the tag of a version', () => {
    expect(signerIdentity(RELEASE_TRUST, version)).toContain(`/${FILE}@refs/tags/v`);
    expect(workflow.on.push.tags).toEqual(['v*']);
    expect(sign.permissions).toMatchObject({ 'id-token': 'write' });
  });

  it('publishes to npm as a trusted publisher: without a token and without a registry URL', () => {
    expect(TEXT).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|registry-url|registry\./u);
    expect([sign.needs, npm.needs, publish.needs]).toEqual([
      ['test', 'build', 'start'],
      'sign',
      ['sign', 'npm'],
    ]);
  });

  it('builds for every platform, and starts the executable on each platform with a runner', () => {
    expect(commandsWith(build, 'build-release.ts')).toEqual(['node scripts/build-release.ts release npm']);
    const started = (start.strategy?.matrix.include ?? []).map(({ name }) => name);
    const names = PLATFORMS.map(({ name }) => name);
    expect(names.filter((name) => !started.includes(name))).toEqual(['linux-arm64-musl']);
    expect(started.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('keeps the names of archives that earlier versions download', () => {
    expect(PLATFORMS.map(({ os, archiveArch }) => archiveName('1.2.0', os, archiveArch))).toEqual([
      'deed-1.2.0-linux-x64.tar.gz',
      'deed-1.2.0-linux-x64-musl.tar.gz',
      'deed-1.2.0-linux-arm64.tar.gz',
      'deed-1.2.0-linux-arm64-musl.tar.gz',
      'deed-1.2.0-darwin-arm64.tar.gz',
      'deed-1.2.0-darwin-x64.tar.gz',
    ]);
  });

  it('signs checksums over every archive, the installer and the metadata, and writes recipes from them', () => {
    const archives = PLATFORMS.map(({ os, archiveArch }) => archiveName(version, os, archiveArch));
    for (const archive of archives) writeFileSync(join(folder, 'release', archive), archive);
    writeFileSync(join(folder, 'release/THIRD_PARTY_LICENCES.txt'), 'licences');
    for (const command of commandsWith(sign, 'pack-release.ts describe')) bash(command);
    const checksums = parseChecksums(readFileSync(join(folder, 'release/checksums.txt'), 'utf8'));
    expect([...checksums.keys()]).toEqual([...archives.toSorted(), 'install.sh', 'release.json']);
    for (const recipe of ['deed.rb', 'Dockerfile']) {
      const text = readFileSync(join(folder, 'release', recipe), 'utf8');
      const named = archives.filter((name) => text.includes(name));
      expect(named.length).toBe(recipe === 'deed.rb' ? 4 : 2);
      for (const name of named) expect(text).toContain(checksums.get(name));
    }
  });

  it('writes recipes with valid syntax', () => {
    const read = (name: string): string => readFileSync(join(folder, 'release', name), 'utf8');
    if (findProgram('ruby', process.env.PATH ?? '') !== undefined)
      expect(bash('ruby -c release/deed.rb')).toBe('Syntax OK\n');
    const instructions = read('Dockerfile')
      .replaceAll('\\\n', '')
      .split('\n')
      .filter((line) => /^[^#\s]/u.test(line));
    const names = instructions.map((line) => line.split(' ')[0] ?? '');
    expect(new Set(names)).toEqual(
      new Set(['FROM', 'ARG', 'RUN', 'WORKDIR', 'COPY', 'USER', 'VOLUME', 'ENTRYPOINT', 'CMD']),
    );
    // The last stage does not run as root, and has what sandboxes need.
    expect(names.lastIndexOf('USER')).toBeGreaterThan(names.lastIndexOf('RUN'));
    expect(instructions.find((line) => line.includes('bubblewrap'))).toContain('git');
    for (const line of instructions.filter((each) => each.startsWith('RUN ')))
      bash(`sh -n <<'END'\n${line.slice(4)}\nEND`);
  });

  it('rejects a tag that is not the version, before it publishes anything', () => {
    const [check = ''] = commandsWith(test, 'GITHUB_REF_NAME');
    expect(bash(check)).toBe('');
    expect(() => bash(check.replace('$GITHUB_REF_NAME', 'v0.0.0'))).toThrow('Command failed');
  });

  it('publishes the section of the changelog as its notes', () => {
    for (const command of commandsWith(publish, 'notes.md').slice(0, 1)) bash(command);
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toMatch(/^### Added\n\n- /u);
    expect(commandsWith(publish, 'gh release create')[0]).toContain('--notes-file notes.md');
  });

  it('publishes the platform packages before the main package, and a prerelease under the tag next', () => {
    for (const name of ['deed-cli-1.0.0', 'deed-cli-linux-x64-1.0.0', 'deed-cli-darwin-arm64-1.0.0'])
      writeFileSync(join(folder, `npm/${name}.tgz`), '');
    const [release = '', packages = ''] = [
      ...commandsWith(publish, 'gh release'),
      ...commandsWith(npm, 'npm publish'),
    ];
    const run = (command: string, tag: string): string =>
      bash(`gh() { echo "$@"; }; npm() { echo "$2 \${@: -1}"; }; GITHUB_REF_NAME=${tag}; ${command}`);
    expect(run(packages, 'v1.0.0').trim().split('\n')).toEqual([
      'npm/deed-cli-linux-x64-1.0.0.tgz latest',
      'npm/deed-cli-darwin-arm64-1.0.0.tgz latest',
      'npm/deed-cli-1.0.0.tgz latest',
    ]);
    expect(run(packages, 'v1.0.0-rc.1').trim().split('\n').at(-1)).toBe('npm/deed-cli-1.0.0.tgz next');
    const isPrerelease = (tag: string): boolean => run(release, tag).includes('--prerelease');
    expect([isPrerelease('v1.0.0'), isPrerelease('v1.0.0-rc.1')]).toEqual([false, true]);
  });
});

describe('release notes', () => {
  const CHANGELOG =
    '# Changelog\n\n## [Unreleased]\n\n- soon\n\n## [1.1.0] - 2026-01-02\n\n### Fixed\n\n- it\n\n## [1.0.0] - 2026-01-01\n\n- first\n';

  it('are the section of that version and no other section', () => {
    expect(renderNotes('1.1.0', CHANGELOG)).toBe('### Fixed\n\n- it\n');
    expect(renderNotes('1.0.0', CHANGELOG)).toBe('- first\n');
  });

  it('are an error for a version without a section in the changelog', () => {
    expect(() => renderNotes('2.0.0', CHANGELOG)).toThrow('no section for 2.0.0');
    expect(() => renderNotes('1.1', CHANGELOG)).toThrow('no section for 1.1');
  });
});
