import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { oncePerRun } from '../fixtures/once-per-run.ts';
import { createHome, deed, executable, ROOT } from '../fixtures/run-deed.ts';
import { scriptedClaude } from '../fixtures/scripted-claude.ts';
import { LONG } from '../fixtures/start-node.ts';

const home = createHome();
afterAll(() => home.dispose());
const at = (path: string): string => join(home.path, path);
const PLAN = `- { id: works, agent_id: claude, description: Write a file, test_command: test -f a.txt }
- { id: denied, agent_id: claude, description: Write a file, dependencies: [works], test_command: "false" }
`;

it.runIf(LONG)(
  'the action runs a plan, keeps a receipt for every run, and posts what was applied and what was not',
  () => {
    const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
      readonly runs: { readonly steps: readonly { readonly run?: string }[] };
    };
    const script = action.runs.steps.find(({ run }) => run?.includes('action.sh'))?.run ?? '';
    for (const folder of ['.local/bin', 'project', 'temp']) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at('.local/bin/claude'), scriptedClaude(['echo "$(date +%N)" > a.txt']), { mode: 0o755 });
    symlinkSync(executable()[0], at('.local/bin/deed'));
    writeFileSync(at('plan.yaml'), PLAN);
    for (const name of ['output', 'summary']) writeFileSync(at(name), '');
    const { status, stdout } = spawnSync('bash', ['-c', `git init -q . && ${script}`], {
      cwd: at('project'),
      encoding: 'utf8',
      env: {
        PATH: `${at('.local/bin')}:${process.env.PATH}`,
        HOME: home.path,
        ANTHROPIC_API_KEY: 'a-key-for-tests',
        GITHUB_ACTION_PATH: ROOT,
        GITHUB_OUTPUT: at('output'),
        GITHUB_STEP_SUMMARY: at('summary'),
        RUNNER_TEMP: at('temp'),
        DEED_PLAN: at('plan.yaml'),
        DEED_BRANCH: '',
      },
    });
    expect([status, stdout]).toEqual([1, expect.stringContaining('denied')]);
    const outputs = Object.fromEntries(
      readFileSync(at('output'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    ) as Record<string, string>;
    expect(outputs.job).toMatch(/^job_/u);
    const folder = outputs.receipts ?? '';
    const receipts = readdirSync(folder).filter((name) => name.startsWith('run_'));
    // Also one of each attempt.
    expect(receipts.length).toBeGreaterThanOrEqual(2);
    const summary = readFileSync(at('summary'), 'utf8');
    expect(summary).toContain('1 of 2 applied, 1 not');
    expect(summary).toContain(`Receipts: ${receipts.length},`);
    const verified = deed(
      ['receipt', 'verify', '--file', join(folder, receipts[0] ?? ''), '--key', join(folder, 'key.pem')],
      { home: at('elsewhere') },
    );
    expect(verified.envelope.data.valid).toBe(true);
  },
);

it('the example of the docs has inputs that the action has, all that it requires, and its version', () => {
  const { inputs } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly required?: boolean }>>;
  };
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const page = readFileSync(join(ROOT, 'docs/github-action.md'), 'utf8');
  const workflow = parse(/```yaml\n([\s\S]*?)```/u.exec(page)?.[1] ?? '') as {
    readonly jobs: { readonly plan: { readonly steps: readonly { uses?: string; with?: object }[] } };
  };
  const step = workflow.jobs.plan.steps.find(({ uses }) => uses?.startsWith('deed-cli/deed@'));
  expect(step?.uses).toBe(`deed-cli/deed@v${version}`);
  const required = Object.keys(inputs).filter((name) => inputs[name]?.required === true);
  const given = Object.keys(step?.with ?? {});
  expect([
    required.filter((name) => !given.includes(name)),
    given.filter((name) => !(name in inputs)),
  ]).toEqual([[], []]);
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gmu)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(inputs));
});

it.runIf(LONG)(
  'the action and the workflows are accepted by action-validator',
  async () => {
    const tools = await oncePerRun('action-validator', (folder) => {
      mkdirSync(folder, { recursive: true });
      const packages = ['@action-validator/core@0.6.0', '@action-validator/cli@0.6.0'];
      const { status, stderr } = spawnSync(
        'npm',
        ['install', '--prefix', folder, '--no-audit', ...packages],
        {
          encoding: 'utf8',
        },
      );
      expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    });
    const workflows = readdirSync(join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`);
    mkdirSync(at('.github/workflows'), { recursive: true });
    const page = readFileSync(join(ROOT, 'docs/github-action.md'), 'utf8');
    const example = '.github/workflows/example.yml';
    for (const file of ['action.yml', ...workflows, example]) {
      const source =
        file === example
          ? (/```yaml\n([\s\S]*?)```/u.exec(page)?.[1] ?? '')
          : readFileSync(join(ROOT, file), 'utf8');
      // A permission of GitHub that this version does not know.
      const text = source.replace(/^ *attestations: write\n/mu, '');
      writeFileSync(at(file), text);
      const validator = join(tools, 'node_modules/.bin/action-validator');
      const { status, stdout, stderr } = spawnSync(validator, [file], { cwd: home.path, encoding: 'utf8' });
      expect([file, status, stdout + stderr]).toEqual([file, 0, '']);
    }
  },
  300_000,
);
