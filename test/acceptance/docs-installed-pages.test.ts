import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packArchive, renderChecksums } from '../../scripts/pack-release.ts';
import { archiveName, CHECKSUMS_NAME } from '../../src/release/release-source.ts';
import { BLOCKS } from '../fixtures/docs/blocks.ts';
import { typedLines } from '../fixtures/docs/commands.ts';
import { FREE_PORT, runPage } from '../fixtures/docs/run-page.ts';
import { createInstalledAccount, type InstalledAccount } from '../fixtures/installed-account.ts';
import { installInspector } from '../fixtures/mcp-inspector.ts';
import { HERE } from '../fixtures/npm-packages.ts';
import { ordinaryAccount } from '../fixtures/ordinary-account.ts';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { startReleaseServer, type ReleaseServer } from '../fixtures/release-server.ts';
import { executable, ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const RELEASES = 'https://github.com/deed-cli/deed/releases';
/** What a user did between install and uninstall. */
const SET_UP = `deed setup --hosts claude --confirm "$(deed setup --hosts claude --dry-run | grep -o 'ct_[A-Za-z0-9_-]*')" > set-up.json`;
const COSIGN = 'cosign verify-blob';

/** Pages that a user reads before deed is there: with the packed packages, and a release of this build. */
describe.runIf(LONG)('the commands of', () => {
  const { uid, gid } = ordinaryAccount ?? {};
  const asUser = ['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  let account: InstalledAccount;
  let releases: ReleaseServer;
  beforeAll(async () => {
    account = await createInstalledAccount('pages');
    releases = await startReleaseServer();
    const content = readFileSync(executable()[0]);
    const archive = packArchive(content, join(ROOT, 'skills/deed'), 1, join(ROOT, 'share'));
    const name = archiveName(version, HERE.os, HERE.archiveArch);
    for (const folder of ['latest/download', `download/v${version}`]) {
      releases.put(`${folder}/install.sh`, readFileSync(join(ROOT, 'scripts/install.sh')));
      releases.put(`${folder}/${CHECKSUMS_NAME}`, renderChecksums(new Map([[name, archive]])));
      releases.put(`${folder}/${CHECKSUMS_NAME}.sigstore.json`, '{}');
      releases.put(`${folder}/${name}`, archive);
    }
  });
  afterAll(async () => {
    await releases?.close();
    await account?.close();
  });

  it('docs/install.md install and uninstall', async () => {
    const env = { ...account.env, DEED_RELEASES: releases.url };
    const name = archiveName(version, HERE.os, HERE.archiveArch);
    const download = (file: string): string => `curl -fsSL -O ${releases.url}/latest/download/${file}`;
    const ran = await runPage('docs/install.md', {
      account: { home: account.home, cwd: account.project, env },
      wrapper: process.getuid?.() === 0 ? asUser : [],
      prepare: [name, CHECKSUMS_NAME, 'install.sh'].map(download).join('\n'),
      replace: [
        [RELEASES, releases.url],
        [/^npx -y deed-cli doctor/u, `${SET_UP}; npx -y deed-cli doctor`],
      ],
      notRun: { [COSIGN]: 'cosign is not here; below, its arguments are those of the install script' },
    });
    const outputOf = (start: string): string => ran.find(({ line }) => line.startsWith(start))?.stdout ?? '';
    expect(JSON.parse(outputOf('npx -y deed-cli doctor')).ok).toBe(true);
    for (const start of ['curl', 'sh install.sh'])
      expect(outputOf(start)).toContain(`Installed deed ${version}`);
    expect(outputOf('sha256sum')).toContain(`${name}: OK`);
    expect(
      ['prefix/bin/deed', '.deed', '.claude/settings.json'].filter((path) =>
        existsSync(join(account.home, path)),
      ),
    ).toEqual([]);
  });

  it('docs/install.md verify a signature as the install script does', () => {
    const script = readFileSync(join(ROOT, 'scripts/install.sh'), 'utf8');
    const line = BLOCKS.filter(({ page }) => page === 'docs/install.md')
      .flatMap(typedLines)
      .find((text) => text.startsWith(COSIGN));
    const flags = line?.match(/--[a-z-]+/gu) ?? [];
    expect([flags.length, flags.filter((flag) => !script.includes(flag))]).toEqual([4, []]);
    expect(line).toContain(`release.yml@refs/tags/v${version}`);
  });

  it('docs/mcp-inspector.md show what clients see', async () => {
    const folder = account.folder('inspector');
    cpSync(await installInspector(), folder, { recursive: true, verbatimSymlinks: true });
    const env = { ...account.env, HOME: folder, npm_config_cache: join(folder, 'cache') };
    const ran = await runPage('docs/mcp-inspector.md', {
      account: { home: folder, cwd: folder, env },
      // The server ends with the shell.
      wrapper: namespaceCommand ?? [],
      prepare: `npm install --no-audit --no-fund deed-cli
${FREE_PORT}`,
      replace: [
        [
          /--port 7333 &/u,
          '--port $PORT & until curl -s -o /dev/null http://127.0.0.1:$PORT/; do sleep 0.2; done',
        ],
        ['127.0.0.1:7333', '127.0.0.1:$PORT'],
      ],
    });
    const shown = ran.map(({ stdout }) => stdout).join('\n');
    for (const text of ['call-write', '"ok": true', 'deed://receipts', 'resume-work'])
      expect(shown).toContain(text);
  });
});
