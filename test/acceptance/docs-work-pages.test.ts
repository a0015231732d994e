import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BLOCKS } from '../fixtures/docs/blocks.ts';
import { createAccount, runPage, type Account } from '../fixtures/docs/run-page.ts';
import { confirmed, deed } from '../fixtures/run-deed.ts';
import { scriptedClaude } from '../fixtures/scripted-claude.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Claude fixes line 42 of a file in a repository, as the pages tell. */
const REPOSITORY = `git init -q -b main .
git config user.name Ada && git config user.email ada@example.org
mkdir -p src && seq 60 > src/login.ts && git add . && git commit -qm first
cat > plan.yaml <<'END'
- { id: login, agent_id: claude, description: Fix the login form, test_command: grep -q fixed src/login.ts }
END`;

/** The first block of a page in a language. */
const block = (page: string, language: string): string =>
  BLOCKS.find((one) => one.page === page && one.language === language)?.text ?? `no block of ${page}`;

describe.runIf(LONG)('the commands and examples of', () => {
  let account: Account;
  beforeEach(() => {
    account = createAccount('work-pages');
    account.write('.local/bin/claude', scriptedClaude(["sed -i '42s/.*/fixed/' src/login.ts"]), 0o755);
    account = { ...account, env: { ...account.env, ANTHROPIC_API_KEY: 'a-key-for-tests' } };
  });
  afterEach(() => account.dispose());

  it('docs/branches.md work, and the commit has the shown message', async () => {
    const page = 'docs/branches.md';
    const ran = await runPage(page, {
      account,
      prepare: REPOSITORY,
      // A line of the branch is in a file only where the branch is checked out.
      replace: [
        [
          /^deed work blame src\/login.ts:42/u,
          'git checkout -q deed/fix-login; deed work blame src/login.ts:42',
        ],
      ],
    });
    const shown = (start: string): string => ran.find(({ line }) => line.startsWith(start))?.stdout ?? '';
    const message = shown('git log').split('\n\n').slice(1).join('\n\n').replaceAll(/^ {4}/gmu, '');
    const withoutIds = (text: string): string => text.replaceAll(/(?<=Deed-\w+: ).*/gu, '…').trim();
    expect(withoutIds(message.split('\ncommit ')[0] ?? '')).toBe(withoutIds(block(page, '')));
    expect(JSON.parse(shown('deed work blame src/login.ts:42')).data.lines).toEqual([
      expect.objectContaining({ by: 'trailer', run_id: expect.stringMatching(/^run_/u) }),
    ]);
  });

  it('docs/receipts.md work', async () => {
    const ran = await runPage('docs/receipts.md', {
      account,
      prepare: `${REPOSITORY}
run() { deed work run plan.yaml "$@"; }
run --confirm "$(run --dry-run | grep -o 'ct_[^"]*' | head -1)" > ../answer.json
RUN=$(grep -o 'run_[0-9][0-9a-z]*' ../answer.json | head -1)
mkdir checkout && cp -r src checkout`,
      replace: [['run_6a2x74g1q2w8d', '$RUN']],
      notRun: {
        'cosign verify-blob-attestation':
          'cosign is not here; receipts-elsewhere.test.ts verifies the same file with the libraries of Sigstore',
      },
    });
    const verified = ran.filter(({ line }) => line.startsWith('deed receipt verify'));
    expect(verified.map(({ stdout }) => JSON.parse(stdout).data.valid)).toEqual([true, true]);
  });

  it('docs/work-items.md is a plan that can run', () => {
    execFileSync('git', ['init', '-q', account.cwd]);
    account.write('project/packages/web/package.json', '{}');
    account.write('project/plan.yaml', block('docs/work-items.md', 'yaml'));
    const options = { home: account.home, cwd: account.cwd, env: account.env };
    const preview = deed(['work', 'run', 'plan.yaml', '--dry-run'], options);
    expect([preview.envelope.error, preview.code]).toEqual([undefined, 0]);
  });

  it('docs/coding-agents.md can be set as printed', () => {
    const blocks = BLOCKS.filter(
      ({ page, language }) => page === 'docs/coding-agents.md' && language === 'json',
    );
    for (const { text } of blocks) {
      const set = confirmed(['config', 'set', 'work.agents', text], { home: account.home });
      expect([set.envelope.error, set.code]).toEqual([undefined, 0]);
    }
  });
});
