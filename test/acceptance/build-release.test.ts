import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { PLATFORMS } from '../../scripts/platforms.ts';
import { archiveName } from '../../src/release/release-source.ts';
import { unpackRelease } from '../../src/release/unpack-release.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** The file header of the executable of each platform, and the dynamic loader of its C library. */
const HEADERS: Readonly<
  Record<string, { readonly magic: string; readonly machine: string; readonly loader?: string }>
> = {
  'linux-x64': { magic: '7f454c46', machine: '3e00', loader: '/lib64/ld-linux-x86-64.so.2' },
  'linux-x64-musl': { magic: '7f454c46', machine: '3e00', loader: '/lib/ld-musl-x86_64.so.1' },
  'linux-arm64': { magic: '7f454c46', machine: 'b700', loader: '/lib/ld-linux-aarch64.so.1' },
  'linux-arm64-musl': { magic: '7f454c46', machine: 'b700', loader: '/lib/ld-musl-aarch64.so.1' },
  'darwin-arm64': { magic: 'cffaedfe', machine: '0c000001' },
  'darwin-x64': { magic: 'cffaedfe', machine: '07000001' },
};

// Each build downloads the runtime of its platform, which is cached.
describe.runIf(LONG)('a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deed-release-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(PLATFORMS)('has an executable and a package for $name', { timeout: 900_000 }, async (platform) => {
    const [archives, packages] = [
      join(folder, platform.name, 'archives'),
      join(folder, platform.name, 'npm'),
    ];
    await promisify(execFile)(
      join(ROOT, 'node_modules/.bin/node'),
      ['scripts/build-release.ts', archives, packages, platform.name],
      { cwd: ROOT },
    );
    expect(readdirSync(packages).sort()).toEqual([
      `deed-cli-${version}.tgz`,
      `deed-cli-${platform.name}-${version}.tgz`,
    ]);
    const name = archiveName(version, platform.os, platform.archiveArch);
    const { executable } = await unpackRelease(readFileSync(join(archives, name)), name);
    const { magic, machine, loader } = HEADERS[platform.name] ?? {};
    const at = platform.os === 'linux' ? 18 : 4;
    expect([
      executable.toString('hex', 0, 4),
      executable.toString('hex', at, at + (machine?.length ?? 0) / 2),
      loader === undefined || executable.includes(`${loader}\0`),
    ]).toEqual([magic, machine, true]);
  });
});
