import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount, FREE_PORT, runPage, type Account } from '../fixtures/docs/run-page.ts';
import { findPostgres, startPostgres } from '../fixtures/postgres-server.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createVybeStore } from '../fixtures/vybe-store.ts';

describe.runIf(LONG)('the commands of', () => {
  let account: Account;
  beforeEach(() => {
    account = createAccount('pages');
  });
  afterEach(() => account.dispose());

  it('docs/web.md start servers', async () => {
    const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'];
    const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', 'key.pem', '-out', 'cert.pem'];
    expect(spawnSync('openssl', [...certificate, ...names], { cwd: account.cwd }).status).toBe(0);
    const ran = await runPage('docs/web.md', {
      account,
      prepare: FREE_PORT,
      replace: [
        // It serves until it is interrupted.
        [/^deed web/u, 'timeout --signal INT --preserve-status 3 deed web'],
        ['--port 7333', '--port $PORT'],
      ],
      exit: { 'deed web': 130 },
    });
    expect(ran.length).toBeGreaterThan(3);
    for (const { line, stderr } of ran)
      expect([line, stderr]).toEqual([line, expect.stringMatching(/https?:/u)]);
  });

  it.runIf(findPostgres() !== undefined)(
    'docs/shared-store.md name the store that would be used',
    async () => {
      const server = startPostgres();
      account.write('password', 'secret\n', 0o600);
      try {
        const url = `${server.urlOf('deed')}&password_file=${join(account.home, 'password')}`;
        const [ran] = await runPage('docs/shared-store.md', {
          account,
          replace: [[/postgres:[^']*/u, url]],
        });
        expect(JSON.parse(ran?.stdout ?? '').data.confirm_token).toMatch(/^ct_/u);
      } finally {
        server.dispose();
      }
    },
  );

  it('docs/upgrading.md work', async () => {
    await runPage('docs/upgrading.md', {
      account,
      notRun: { 'deed update': 'needs releases; update.test.ts and update-from-0.1.0.test.ts install them' },
    });
  });

  it('docs/moving-from-vybe.md find the old store, show the import and install hooks', async () => {
    mkdirSync(join(account.home, '.config/vybe'), { recursive: true });
    createVybeStore(join(account.home, '.config/vybe/vybe.db'), 26);
    const [doctor, preview] = await runPage('docs/moving-from-vybe.md', { account });
    expect(doctor?.stdout).toContain('.config/vybe/vybe.db');
    expect(JSON.parse(preview?.stdout ?? '').data.confirm_token).toMatch(/^ct_/u);
  });

  it('the Skill record a session', async () => {
    const ran = await runPage('skills/deed/SKILL.md', {
      account,
      prepare: `task() { cat "$HOME"/lines-of-*/*.out | grep -o 'task_[0-9][0-9a-z]*' | tail -1; }`,
      replace: [
        ['<you>', 'ada'],
        ['--request-id <id>', '--request-id "r$RANDOM$RANDOM"'],
        ['"task_id":"…"', `"task_id":"'$(task)'"`],
        ['"scope_id":"<task>"', `"scope_id":"'$(task)'"`],
        ['<task>', '$(task)'],
        ['--query "…"', '--query tests'],
      ],
    });
    expect(ran.map(({ stdout }) => JSON.parse(stdout).success)).toEqual(ran.map(() => true));
  });
});
