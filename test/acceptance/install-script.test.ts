import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packArchive, renderChecksums } from '../../scripts/pack-release.ts';
import { archiveName, CHECKSUMS_NAME } from '../../src/release/release-source.ts';
import { HERE } from '../fixtures/npm-packages.ts';
import { startReleaseServer, type ReleaseServer } from '../fixtures/release-server.ts';
import { createHome, ROOT, waitFor, type Run } from '../fixtures/run-deed.ts';

const PROGRAM = '#!/bin/sh\necho 9.9.9\n';
const NAME = archiveName('9.9.9', HERE.os, HERE.archiveArch);
const COSIGN = '#!/bin/sh\necho "$@" > "$HOME/cosign.txt"\nexit "$COSIGN_EXIT"\n';

describe('the install script', () => {
  let server: ReleaseServer;
  let home: ReturnType<typeof createHome>;
  const archive = packArchive(Buffer.from(PROGRAM), join(ROOT, 'skills/deed'), 1, join(ROOT, 'share'));
  beforeAll(async () => {
    server = await startReleaseServer();
  });
  beforeEach(() => {
    home = createHome();
    for (const folder of ['latest/download', 'download/v9.9.9']) {
      server.put(`${folder}/${CHECKSUMS_NAME}`, renderChecksums(new Map([[NAME, archive]])));
      server.put(`${folder}/${CHECKSUMS_NAME}.sigstore.json`, '{}');
      server.put(`${folder}/${NAME}`, archive);
    }
  });
  afterEach(() => home.dispose());
  afterAll(() => server.close());

  const at = (path: string): string => join(home.path, path);
  const script = (argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
    waitFor(
      spawn('sh', [join(ROOT, 'scripts/install.sh'), ...argv], {
        env: { PATH: process.env.PATH, HOME: home.path, DEED_RELEASES: server.url, ...env },
      }),
    );
  const withCosign = (exit: string): Record<string, string> => {
    mkdirSync(at('tools'));
    writeFileSync(at('tools/cosign'), COSIGN, { mode: 0o755 });
    return { PATH: `${at('tools')}${delimiter}${process.env.PATH}`, COSIGN_EXIT: exit };
  };

  it('installs programs, manual page and completions, and uninstall removes them', async () => {
    const { code, stdout } = await script();
    expect([code, stdout]).toEqual([0, expect.stringContaining('Installed deed 9.9.9')]);
    expect(stdout).toContain('only the checksum is verified');
    expect(stdout).toContain(`export PATH="${at('.local/bin')}:$PATH"`);
    expect(readFileSync(at('.local/bin/deed'), 'utf8')).toBe(PROGRAM);
    expect(['vybe', 'pt', 'ai-agent'].map((name) => readlinkSync(at(`.local/bin/${name}`)))).toEqual(
      Array.from({ length: 3 }, () => 'deed'),
    );
    expect(readFileSync(at('.local/share/man/man1/deed.1'), 'utf8')).toMatch(/^\.TH DEED 1/u);
    expect(existsSync(at('.local/share/bash-completion/completions/deed'))).toBe(true);
    expect((await script(['--version', '9.9.9'])).code).toBe(0);
    mkdirSync(at('.deed'));
    writeFileSync(at('.local/bin/mine'), '');
    const removed = await script(['--uninstall']);
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining(at('.deed'))]);
    expect([readdirSync(at('.local/bin')), existsSync(at('.deed'))]).toEqual([['mine'], true]);
    expect(existsSync(at('.local/share/man/man1/deed.1'))).toBe(false);
    expect((await script(['--uninstall'])).code).toBe(1);
  });

  it('keeps programs of the same names that are not links to it', async () => {
    mkdirSync(at('bin'));
    writeFileSync(at('bin/pt'), 'papertrail');
    expect((await script(['--dir', at('bin')])).code).toBe(0);
    expect((await script(['--dir', at('bin'), '--uninstall'])).code).toBe(0);
    expect([readdirSync(at('bin')), readFileSync(at('bin/pt'), 'utf8')]).toEqual([['pt'], 'papertrail']);
  });

  it('verifies the signature if cosign is installed', async () => {
    const { code, stdout } = await script([], withCosign('0'));
    expect([code, stdout]).toEqual([0, expect.stringContaining('The signature is valid.')]);
    expect(readFileSync(at('cosign.txt'), 'utf8')).toContain(
      '--certificate-identity https://github.com/deed-cli/deed/.github/workflows/release.yml@refs/tags/v9.9.9',
    );
  });

  it.each([
    ['a wrong signature', 'signature', () => withCosign('1')],
    [
      'a wrong checksum',
      'checksum',
      () => {
        server.put(`latest/download/${NAME}`, Buffer.concat([archive, Buffer.from('x')]));
        return {};
      },
    ],
    [
      'no build for this platform',
      'has no build',
      () => {
        server.put(`latest/download/${CHECKSUMS_NAME}`, `${'0'.repeat(64)}  deed-9.9.9-plan9-x64.tar.gz\n`);
        return {};
      },
    ],
    [
      'an unknown release',
      'cannot download',
      () => {
        server.remove(`latest/download/${CHECKSUMS_NAME}`);
        return {};
      },
    ],
  ])('installs nothing with %s', async (_name, message, prepare) => {
    const { code, stderr } = await script([], prepare());
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(existsSync(at('.local/bin/deed'))).toBe(false);
  });
});
