import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLlmServer } from '../fixtures/llm-server.ts';
import { isAlive } from '../fixtures/real-processes.ts';
import {
  deedAsOrdinaryAccount,
  giveToOrdinaryAccount,
  ordinaryAccount,
} from '../fixtures/ordinary-account.ts';
import { deed, deedAsync, executable, ROOT, startDeed, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** What the demo says, checked against the real state: its files, receipts, processes and store. */
interface Step {
  readonly step: number;
  readonly id: string;
  readonly title: string;
  readonly calls: { readonly command: string; readonly exit_code: number | null }[];
  readonly lines: { readonly tone: string; readonly text: string }[];
  // eslint-disable-next-line typescript/no-explicit-any -- answers of any shape
  readonly facts: any;
  readonly weaker?: string;
}

const IDS = ['stage', 'plan', 'denied', 'receipt', 'replay', 'leftover', 'resume'];
const hasScript = spawnSync('script', ['--version']).status === 0;

const place = temporaryFolder('demo');
afterAll(() => place.dispose());

function stepsOf({ stdout }: Pick<Run, 'stdout'>): Record<string, Step> {
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; data: Step });
  return Object.fromEntries(lines.flatMap(({ type, data }) => (type === 'item' ? [[data.id, data]] : [])));
}

/** Processes that were started for this folder and still run, with what they are. */
function leftovers(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && isAlive(Number(name)))
    .flatMap((pid) => {
      try {
        const [command = '', environment = ''] = ['cmdline', 'environ'].map((name) =>
          readFileSync(`/proc/${pid}/${name}`, 'latin1'),
        );
        return `${command}${environment}`.includes(folder) ? [`${pid} ${command.replaceAll('\0', ' ')}`] : [];
      } catch {
        return [];
      }
    });
}

/** A folder of all programs of this machine but these. */
function programsWithout(...names: readonly string[]): string {
  const folder = join(place.path, `without-${names.join('-')}`);
  mkdirSync(folder);
  const [node] = executable();
  symlinkSync(node, join(folder, 'node'));
  for (const path of (process.env.PATH ?? '').split(':').filter((each) => existsSync(each))) {
    for (const name of readdirSync(path)) {
      if (!names.includes(name) && !existsSync(join(folder, name)))
        symlinkSync(join(path, name), join(folder, name));
    }
  }
  return folder;
}

/** What a model would say that is asked for one of the tools: a call that writes it, then the report. */
function answerLive({ messages }: { messages: { role: string; content: unknown }[] }): object {
  const said = JSON.stringify(messages);
  const [, id = ''] = /Write src\/(\w+)\.sh/u.exec(said) ?? [];
  if (!messages.some(({ role }) => role === 'assistant')) {
    const command = `echo cat > src/${id}.sh; echo true > test/${id}.sh`;
    return { toolCalls: [{ name: 'workspace__run', arguments: JSON.stringify({ command }) }] };
  }
  const [, nonce = ''] = /ai-agent-([0-9a-f]{8})-FINAL/u.exec(said) ?? [];
  const tag = `ai-agent-${nonce}-FINAL`;
  return { content: `<${tag} tool="agent__final_report" format="markdown">Written.</${tag}>` };
}

/** Asks the programs of a demo about what it left, as its reader would. */
function ask(folder: string, ...argv: string[]): Run {
  return deed(argv, { home: join(folder, '.deed'), cwd: join(folder, 'repository'), env: { HOME: folder } });
}

/** Holds every claim of a demo against what is there. */
function expectTrue(steps: Record<string, Step>, folder: string): void {
  expect(Object.keys(steps)).toEqual(IDS);
  const { stage, plan, denied, receipt, replay, leftover, resume } = steps;
  const repository = join(folder, 'repository');
  for (const { lines } of Object.values(steps).filter(({ id }) => id !== 'denied'))
    expect(lines.filter(({ tone }) => tone === 'refused')).toEqual([]);

  expect(stage?.facts).toEqual({ folder, repository, live: false, model: null });
  expect(stage?.lines.some(({ text }) => text.includes('recorded answers'))).toBe(true);

  const runs = plan?.facts.runs as { item_id: string; run_id: string; status: string; output_hash: string }[];
  expect(runs.map(({ item_id, status }) => `${item_id} ${status}`)).toEqual([
    'slug success',
    'count success',
    'initials success',
    'together success',
  ]);
  expect(plan?.facts.at_once).toBe(true);
  for (const file of (plan?.facts.created_files ?? []) as string[]) expect(existsSync(file)).toBe(true);
  expect(plan?.facts.created_files.length).toBe(6);
  const whole = ask(folder, 'receipt', 'show', runs[3]?.run_id ?? '').envelope.data.receipt;
  expect(whole.tranche_receipts.map(({ receipt_id }: { receipt_id: string }) => receipt_id)).toEqual(
    plan?.facts.merged,
  );
  const checked = spawnSync('sh', ['check.sh'], { cwd: repository, encoding: 'utf8' });
  expect([checked.status, checked.stdout]).toEqual([0, '# pass 4\n# fail 0\n']);

  expect(denied?.facts).toMatchObject({
    code: 'E_DENIED',
    denial_reason: 'Exceeded max files: 9 > 3',
    unchanged: true,
  });
  expect(denied?.calls.at(-1)?.exit_code).toBe(6);
  expect(spawnSync('grep', ['-r', '# MIT', repository]).status).toBe(1);
  expect(ask(folder, 'work', 'show', denied?.facts.run_id).envelope.data.status).toBe('denied');

  expect(receipt?.facts).toMatchObject({ verified: 1, verified_all: 5 });
  expect(ask(folder, 'receipt', 'verify').envelope.data).toEqual({ checked: 5, valid: true });
  expect(replay?.facts).toMatchObject({ matches: true, expected_hash: runs[0]?.output_hash });
  expect(replay?.facts.actual_hash).toBe(replay?.facts.expected_hash);
  if (plan?.weaker === undefined) expect(replay?.facts.grade).toBe('exact');

  expect(leftover?.facts).toMatchObject({ found: true, ended: true, outcome: 'confirmed_dead' });
  const { server_pid, session_id } = (leftover?.facts ?? {}) as Record<string, number>;
  expect(leftovers(folder)).toEqual([]);
  expect(readFileSync(join(folder, 'notes/served'), 'utf8').trim()).toBe(String(server_pid));
  expect(ask(folder, 'triage', 'status', '--session', String(session_id)).envelope.data.state).toBe(
    'verified',
  );

  const runIds = [...runs.map(({ run_id }) => run_id), denied?.facts.run_id as string];
  expect(resume?.facts.runs_told).toEqual(runIds);
  const again = ask(folder, 'brief', '--agent', 'another', '--project-dir', repository).envelope.data;
  for (const id of runIds) expect(JSON.stringify(again)).toContain(id);
  expect(resume?.facts.prompt).toContain('denied: Exceeded max files: 9');
  expect(resume?.facts.audited).toBe(resume?.facts.calls);
  expect(ask(folder, 'audit', 'verify').envelope.data.valid).toBe(true);
}

/** A machine that does ten things at once may take long; nothing here is about how long. */
const PATIENCE_MS = 300_000;

describe('the demo', { timeout: PATIENCE_MS }, () => {
  const home = join(place.path, 'home');
  beforeAll(() => mkdirSync(home));

  it.each(LONG ? ['first', 'second'] : ['first'])(
    'says nothing that is not so, the %s time, and touches nothing else',
    async (name) => {
      const folder = join(place.path, name);
      const run = await deedAsync(['demo', '--folder', folder], { home });
      expect(run.code).toBe(0);
      const steps = stepsOf(run);
      expectTrue(steps, folder);
      expect(readdirSync(home)).toEqual(['audit']);
      // The picture of the README tells the same story.
      const picture = readFileSync(join(ROOT, 'docs/demo.svg'), 'utf8');
      for (const { step, title } of Object.values(steps)) expect(picture).toContain(`${step}/7  ${title}`);
    },
  );

  it.runIf(hasScript)('is told to people in colour on a terminal, and in JSON where they ask for it', () => {
    const words = (argv: readonly string[]): string =>
      [...executable(), ...argv].map((word) => `'${word}'`).join(' ');
    const onTerminal = (argv: readonly string[]): string =>
      spawnSync('script', ['-qec', words(argv), '/dev/null'], {
        env: { PATH: process.env.PATH, HOME: home, DEED_HOME: home, TERM: 'xterm', TMPDIR: place.path },
        encoding: 'utf8',
      }).stdout;
    const refused = ['demo', '--folder', '/'];
    expect(onTerminal(refused)).toContain('\u001B[31mdeed: E_CONFLICT\u001B[0m');
    expect(JSON.parse(onTerminal([...refused, '--format', 'json']).split('\n')[0] ?? '')).toMatchObject({
      ok: false,
    });
    const told = onTerminal(['demo']);
    expect(told).toContain('\u001B[1m1/7  A place of its own\u001B[0m');
    expect(told).toContain('\u001B[32m✓\u001B[0m');
    expectOwnFolder(told);
  });

  it.runIf(!hasScript)('is told as text where it is asked for', async () => {
    const run = await deedAsync(['demo', '--format', 'text'], { home, env: { TMPDIR: place.path } });
    expect(run.stdout).not.toContain('\u001B');
    expectOwnFolder(run.stdout);
  });

  /** It names a folder that only its owner can read, says how to remove it, and lets one look around. */
  function expectOwnFolder(told: string): void {
    const [, folder = ''] = /Remove it all: rm -r (\S+)/u.exec(told) ?? [];
    expect(folder.startsWith(join(place.path, 'deed-demo-'))).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(told).toContain('deed work run ../plan.json');
    const look = spawnSync('sh', ['-c', `. '${folder}/enter.sh' && deed receipt list --compact`], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect(JSON.parse(look.stdout).data.count).toBe(5);
  }

  it('refuses a folder that is not empty, and a file', () => {
    const folder = join(place.path, 'used');
    mkdirSync(folder);
    writeFileSync(join(folder, 'mine'), '');
    for (const path of [folder, join(folder, 'mine')]) {
      const [line] = deed(['demo', '--folder', path], { home }).stdout.split('\n');
      expect(JSON.parse(line ?? '').error).toMatchObject({ code: 'E_CONFLICT', details: { path } });
    }
    expect(readdirSync(folder)).toEqual(['mine']);
  });

  it('asks a real model only with --live and a key, and makes nothing before that is clear', () => {
    const folder = join(place.path, 'live');
    const codeOf = (...flags: string[]): string => {
      const [line] = deed(['demo', '--folder', folder, ...flags], { home }).stdout.split('\n');
      return JSON.parse(line ?? '').error.code as string;
    };
    expect(codeOf('--live')).toBe('E_AUTH');
    expect(codeOf('--live', '--model', 'openai/gpt-5-mini')).toBe('E_AUTH');
    expect(codeOf('--model', 'openai/gpt-5-mini')).toBe('E_VALIDATION');
    expect(existsSync(folder)).toBe(false);
  });

  it('asks that model over the wire, and its key is kept nowhere', async () => {
    const server = await startLlmServer();
    const key = 'sk-live-0123456789abcdefghij';
    const folder = join(place.path, 'asked');
    server.mock.on({ predicate: () => true }, answerLive);
    const run = await deedAsync(['demo', '--live', '--folder', folder], {
      home,
      env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${server.url}/v1` },
    });
    await server.close();
    const steps = stepsOf(run);
    expect(run.stdout).not.toContain('"type":"error"');
    expect(steps.stage?.facts).toMatchObject({ live: true, model: 'openai/gpt-5-mini' });
    expect(steps.plan?.facts.runs.map(({ status }: { status: string }) => status)).toEqual(
      Array.from({ length: 4 }, () => 'success'),
    );
    expect(steps.replay?.facts.matches).toBe(true);
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${key}`]),
    );
    expect(spawnSync('grep', ['-rl', key, folder], { encoding: 'utf8' }).stdout).toBe('');
  });

  it.runIf(ordinaryAccount !== null)('does the same for an ordinary account', () => {
    const folder = join(place.path, 'ordinary');
    mkdirSync(folder, { mode: 0o755 });
    giveToOrdinaryAccount(folder);
    const own = join(folder, 'home');
    mkdirSync(own);
    giveToOrdinaryAccount(own);
    spawnSync('chmod', ['755', place.path]);
    const run = deedAsOrdinaryAccount(['demo', '--folder', join(folder, 'demo')], own);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expectTrue(stepsOf(run), join(folder, 'demo'));
  });

  it('leaves out what needs git where there is none, and says so', async () => {
    const run = await deedAsync(['demo', '--folder', join(place.path, 'no-git')], {
      home,
      env: { PATH: programsWithout('git') },
    });
    expect(run.code).toBe(0);
    const steps = Object.values(stepsOf(run));
    expect(steps.map(({ id }) => id)).toEqual(IDS);
    const without = steps.filter(({ weaker }) => weaker?.includes('no git'));
    expect(without.map(({ id, calls }) => [id, calls.length])).toEqual(IDS.slice(1, 5).map((id) => [id, 0]));
    expect(steps[5]?.facts.ended).toBe(true);
  });

  // In the step after it three agents are at work, one is, or a server is left behind.
  it.each(['stage', ...(LONG ? ['plan'] : []), 'replay'])(
    'interrupted after "%s" leaves no process behind',
    async (last) => {
      const folder = join(place.path, `interrupted-${last}`);
      const child = startDeed(['demo', '--folder', folder], { home });
      let stdout = '';
      let asked = false;
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        if (!asked && stdout.includes(`"id":"${last}"`)) {
          asked = true;
          // In the middle of the next step.
          setTimeout(() => child.kill('SIGINT'), 700);
        }
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(code).toBe(130);
      const lines = stdout.trim().split('\n');
      expect(JSON.parse(lines.at(-2) ?? '').error.code).toBe('E_INTERRUPTED');
      expect(JSON.parse(lines.at(-1) ?? '').data.complete).toBe(false);
      expect(leftovers(folder)).toEqual([]);
    },
  );
});
