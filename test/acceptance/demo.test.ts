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
import { recordInvocation } from '../fixtures/invocation-record.ts';
import { isAlive } from '../fixtures/real-processes.ts';
import {
  deedAsOrdinaryAccount,
  giveToOrdinaryAccount,
  ordinaryAccount,
} from '../fixtures/ordinary-account.ts';
import { deed, deedAsync, executable, ROOT, startDeed, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** One step of the demo's output. The tests compare it with the real files, receipts, processes and store. */
interface Step {
  readonly step: number;
  readonly id: string;
  readonly title: string;
  readonly calls: { readonly command: string; readonly exit_code: number | null }[];
  readonly lines: { readonly tone: string; readonly text: string }[];
  // eslint-disable-next-line typescript/no-explicit-any -- facts of any shape
  readonly facts: any;
  readonly weaker?: string;
}

const IDS = ['stage', 'plan', 'denied', 'receipt', 'replay', 'leftover', 'resume'];
const hasScript = spawnSync('script', ['--version']).status === 0;

const temporary = temporaryFolder('demo');
afterAll(() => temporary.dispose());

function stepsOf({ stdout }: Pick<Run, 'stdout'>): Record<string, Step> {
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; data: Step });
  return Object.fromEntries(lines.flatMap(({ type, data }) => (type === 'item' ? [[data.id, data]] : [])));
}

/** Running processes that were started for this folder. */
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

/** A folder with links to all programs of this machine except these. */
function programsWithout(...names: readonly string[]): string {
  const folder = join(temporary.path, `without-${names.join('-')}`);
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

/** Responds like a model: first a tool call that writes the requested tool, then the report. */
function respondLive({ messages }: { messages: { role: string; content: unknown }[] }): object {
  const text = JSON.stringify(messages);
  const [, id = ''] = /Write src\/(\w+)\.sh/u.exec(text) ?? [];
  if (!messages.some(({ role }) => role === 'assistant')) {
    const command = `echo cat > src/${id}.sh; echo true > test/${id}.sh`;
    return { toolCalls: [{ name: 'workspace__run', arguments: JSON.stringify({ command }) }] };
  }
  const [, nonce = ''] = /ai-agent-([0-9a-f]{8})-FINAL/u.exec(text) ?? [];
  const tag = `ai-agent-${nonce}-FINAL`;
  return { content: `<${tag} tool="agent__final_report" format="markdown">Written.</${tag}>` };
}

/** Runs deed in the environment of a finished demo. */
function inspect(folder: string, ...argv: string[]): Run {
  return deed(argv, { home: join(folder, '.deed'), cwd: join(folder, 'repository'), env: { HOME: folder } });
}

/** Checks every statement of a demo against the real state. */
function expectStatements(steps: Record<string, Step>, folder: string): void {
  expect(Object.keys(steps)).toEqual(IDS);
  const { stage, plan, denied, receipt, replay, leftover, resume } = steps;
  const repository = join(folder, 'repository');
  for (const { lines } of Object.values(steps).filter(({ id }) => id !== 'denied'))
    expect(lines.filter(({ tone }) => tone === 'refused')).toEqual([]);

  expect(stage?.facts).toEqual({ folder, repository, live: false, model: null });
  expect(stage?.lines.some(({ text }) => text.includes('recorded model responses'))).toBe(true);

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
  const reconciled = inspect(folder, 'receipt', 'show', runs[3]?.run_id ?? '').envelope.data.receipt;
  expect(reconciled.tranche_receipts.map(({ receipt_id }: { receipt_id: string }) => receipt_id)).toEqual(
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
  expect(inspect(folder, 'work', 'show', denied?.facts.run_id).envelope.data.status).toBe('denied');

  expect(receipt?.facts).toMatchObject({ verified: 1, verified_all: 5 });
  expect(inspect(folder, 'receipt', 'verify').envelope.data).toEqual({ checked: 5, valid: true });
  expect(replay?.facts).toMatchObject({ matches: true, expected_hash: runs[0]?.output_hash });
  expect(replay?.facts.actual_hash).toBe(replay?.facts.expected_hash);
  if (plan?.weaker === undefined) expect(replay?.facts.grade).toBe('exact');
  const used = inspect(folder, 'receipt', 'show', runs[0]?.run_id ?? '').envelope.data.receipt.workspace;
  expect(plan?.facts.isolation).toBe(used.isolation);

  expect(leftover?.facts).toMatchObject({ found: true, ended: true, outcome: 'confirmed_dead' });
  const { server_pid, session_id } = (leftover?.facts ?? {}) as Record<string, number>;
  expect(leftovers(folder)).toEqual([]);
  expect(readFileSync(join(folder, 'notes/served'), 'utf8').trim()).toBe(String(server_pid));
  expect(inspect(folder, 'triage', 'status', '--session', String(session_id)).envelope.data.state).toBe(
    'verified',
  );

  const runIds = [...runs.map(({ run_id }) => run_id), denied?.facts.run_id as string];
  expect(resume?.facts.runs_told).toEqual(runIds);
  const brief = inspect(folder, 'brief', '--agent', 'another', '--project-dir', repository).envelope.data;
  for (const id of runIds) expect(JSON.stringify(brief)).toContain(id);
  expect(resume?.facts.prompt).toContain('denied: Exceeded max files: 9');
  expect(resume?.facts.audited).toBe(resume?.facts.calls);
  expect(inspect(folder, 'audit', 'verify').envelope.data.valid).toBe(true);
}

/** A busy machine can be slow; no test here checks durations. */
const TIMEOUT_MS = 300_000;

describe('the demo', { timeout: TIMEOUT_MS }, () => {
  const home = join(temporary.path, 'home');
  beforeAll(() => mkdirSync(home));

  /** Runs the whole demo as this account. */
  async function runDemo(folder: string): Promise<Record<string, Step>> {
    const run = await deedAsync(['demo', '--folder', folder], { home });
    expect(run.code).toBe(0);
    expect(readdirSync(home)).toEqual(['audit']);
    return stepsOf(run);
  }

  /** Runs the whole demo as an ordinary account, as most users do. */
  function runDemoAsOrdinaryAccount(folder: string): Record<string, Step> {
    const own = join(folder, '../home');
    for (const path of [join(folder, '..'), own]) {
      mkdirSync(path, { mode: 0o755 });
      giveToOrdinaryAccount(path);
    }
    spawnSync('chmod', ['755', temporary.path]);
    const argv = ['demo', '--folder', folder];
    const run = deedAsOrdinaryAccount(argv, own);
    recordInvocation(argv, run);
    expect([run.code, run.stderr]).toEqual([0, '']);
    // Root does not use the home of another account, so the checks need its files.
    spawnSync('chown', ['-R', '0', folder]);
    return stepsOf(run);
  }

  // Root runs its own demo only in the long version.
  it.runIf(LONG)('makes only true statements, and changes nothing else', async () => {
    const folder = join(temporary.path, 'ordinary/demo');
    const steps =
      ordinaryAccount === null
        ? await runDemo(join(temporary.path, 'own'))
        : runDemoAsOrdinaryAccount(folder);
    expectStatements(steps, ordinaryAccount === null ? join(temporary.path, 'own') : folder);
    expectEnterScript(ordinaryAccount === null ? join(temporary.path, 'own') : folder, 5);
    // The picture in the README shows the same steps.
    const picture = readFileSync(join(ROOT, 'docs/demo.svg'), 'utf8');
    for (const { step, title } of Object.values(steps)) expect(picture).toContain(`${step}/7  ${title}`);
  });

  it.runIf(LONG).each(['first', 'second'])('makes only true statements, the %s time', async (name) => {
    const folder = join(temporary.path, name);
    expectStatements(await runDemo(folder), folder);
  });

  it.runIf(hasScript && LONG)('is text in colour on a terminal, and JSON on request', () => {
    const words = (argv: readonly string[]): string =>
      [...executable(), ...argv].map((word) => `'${word}'`).join(' ');
    const onTerminal = (argv: readonly string[], path = process.env.PATH): string =>
      spawnSync('script', ['-qec', words(argv), '/dev/null'], {
        env: { PATH: path, HOME: home, DEED_HOME: home, TERM: 'xterm', TMPDIR: temporary.path },
        encoding: 'utf8',
      }).stdout;
    const rejected = ['demo', '--folder', '/'];
    expect(onTerminal(rejected)).toContain('\u001B[31mdeed: E_CONFLICT\u001B[0m');
    expect(JSON.parse(onTerminal([...rejected, '--format', 'json']).split('\n')[0] ?? '').error.code).toBe(
      'E_CONFLICT',
    );
    // Without git and awk it is shorter.
    const output = onTerminal(['demo'], programsWithout('git', 'awk'));
    expect(output).toContain('\u001B[1m1/7  Set up an isolated folder\u001B[0m');
    expect(output).toContain('\u001B[32m✓\u001B[0m');
    expectOwnFolder(output);
  });

  it.runIf(!hasScript)('is text on request', async () => {
    const env = { TMPDIR: temporary.path, PATH: programsWithout('git', 'awk') };
    const run = await deedAsync(['demo', '--format', 'text'], { home, env });
    expect(run.stdout).not.toContain('\u001B');
    expectOwnFolder(run.stdout);
  });

  /** Checks the output of a demo without git and awk: it skips the steps that need them, and its folder is private. */
  function expectOwnFolder(output: string): void {
    expect(output.match(/There is no git, awk on this machine/gu)).toHaveLength(4);
    expect(output).toContain('verified: confirmed_dead');
    const [, folder = ''] = /Remove everything: rm -r (\S+)/u.exec(output) ?? [];
    expect(folder.startsWith(join(temporary.path, 'deed-demo-'))).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expectEnterScript(folder, 0);
  }

  /** The script of the demo gives access to its programs and data. */
  function expectEnterScript(folder: string, receipts: number): void {
    const listed = spawnSync('sh', ['-c', `. '${folder}/enter.sh' && deed receipt list --compact`], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect(JSON.parse(listed.stdout).data.count).toBe(receipts);
  }

  it('rejects a folder that is not empty, and a file', () => {
    const folder = join(temporary.path, 'used');
    mkdirSync(folder);
    writeFileSync(join(folder, 'mine'), '');
    for (const path of [folder, join(folder, 'mine')]) {
      const [line] = deed(['demo', '--folder', path], { home }).stdout.split('\n');
      expect(JSON.parse(line ?? '').error).toMatchObject({ code: 'E_CONFLICT', details: { path } });
    }
    expect(readdirSync(folder)).toEqual(['mine']);
  });

  it('calls a real model only with --live and a key, and creates nothing otherwise', () => {
    const folder = join(temporary.path, 'live');
    const codeOf = (...flags: string[]): string => {
      const [line] = deed(['demo', '--folder', folder, ...flags], { home }).stdout.split('\n');
      return JSON.parse(line ?? '').error.code as string;
    };
    expect(codeOf('--live')).toBe('E_AUTH');
    expect(codeOf('--live', '--model', 'openai/gpt-5-mini')).toBe('E_AUTH');
    expect(codeOf('--model', 'openai/gpt-5-mini')).toBe('E_VALIDATION');
    expect(existsSync(folder)).toBe(false);
  });

  /** Interrupts a demo in the middle of the step after this one, and returns the finished steps. */
  async function interruptAfter(last: string, folder: string, argv: string[], env = {}) {
    const child = startDeed(['demo', '--folder', folder, ...argv], { home, env });
    let stdout = '';
    let interrupted = false;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (interrupted || !stdout.includes(`"id":"${last}"`)) return;
      interrupted = true;
      setTimeout(() => child.kill('SIGINT'), 700);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(130);
    const lines = stdout.trim().split('\n');
    expect(JSON.parse(lines.at(-2) ?? '').error.code).toBe('E_INTERRUPTED');
    expect(JSON.parse(lines.at(-1) ?? '').data.complete).toBe(false);
    expect(leftovers(folder)).toEqual([]);
    return stepsOf({ stdout });
  }

  it.runIf(LONG)(
    'calls that model over HTTP, stores its key nowhere, and leaves no process when interrupted',
    async () => {
      const server = await startLlmServer();
      const key = 'sk-live-0123456789abcdefghij';
      const folder = join(temporary.path, 'live-run');
      server.mock.on({ predicate: () => true }, respondLive);
      const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${server.url}/v1` };
      // In the next step an agent and its tool server are running.
      const steps = await interruptAfter('replay', folder, ['--live'], env);
      await server.close();
      expect(steps.stage?.facts).toMatchObject({ live: true, model: 'openai/gpt-5-mini' });
      expect(steps.plan?.facts.runs.map(({ status }: { status: string }) => status)).toEqual(
        Array.from({ length: 4 }, () => 'success'),
      );
      expect(steps.denied?.facts).toMatchObject({ code: 'E_DENIED', unchanged: true });
      expect(steps.receipt?.facts).toMatchObject({ verified: 1, verified_all: 5 });
      expect(steps.replay?.facts.matches).toBe(true);
      expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
        new Set([`Bearer ${key}`]),
      );
      expect(spawnSync('grep', ['-rl', key, folder], { encoding: 'utf8' }).stdout).toBe('');
    },
  );

  // In the next step three agents are running, or one.
  it.each(['stage', ...(LONG ? ['plan'] : [])])(
    'leaves no process when interrupted after "%s"',
    async (last) => {
      await interruptAfter(last, join(temporary.path, `interrupted-${last}`), []);
    },
  );
});
