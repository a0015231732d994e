import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createHome,
  deed,
  executable,
  startDeed,
  waitFor,
  type Run,
  type RunOptions,
} from '../fixtures/run-deed.ts';
import { LONG as isLong } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

/** Whether a command is in the middle of its work. */
type IsReady = (output: {
  readonly stdout: string;
  readonly stderr: string;
  readonly ageMs: number;
}) => boolean;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

interface LongCall {
  /** The default is both in the long suite, otherwise they take turns; calls that change something run once. */
  readonly signals?: readonly (typeof SIGNALS)[number][];
  readonly argv: () => readonly string[];
  readonly isReady: IsReady;
}

const prints =
  (text: string): IsReady =>
  ({ stdout, stderr }) =>
    `${stdout}${stderr}`.includes(text);

/** The window is far longer than this. */
const inWindow: IsReady = ({ ageMs }) => ageMs > 400;

const window = (...argv: string[]): LongCall => ({
  argv: () => ['triage', ...argv, '--window', '60s'],
  isReady: inWindow,
});

/** Calls that run until they are interrupted here. */
const LONG: Readonly<Record<string, LongCall>> = {
  'triage plan': window('plan'),
  'triage snapshot': window('snapshot'),
  'triage watch': window('watch', '--rounds', '1'),
  'triage watch, between two rounds': {
    argv: () => ['triage', 'watch', '--window', '50ms', '--interval', '60s'],
    isReady: prints('round.ended'),
  },
  'mcp serve': { argv: () => ['mcp', 'serve', '--transport', 'http'], isReady: prints('serving ') },
  web: { argv: () => ['web', '--port', '0'], isReady: prints('serving ') },
  'work run': {
    signals: ['SIGTERM'],
    argv: () => ['work', 'run', slowPlan, '--confirm', tokenOf('work', 'run', slowPlan)],
    isReady: () => existsSync(join(bench.gate, 'running')),
  },
  'work replay': {
    argv: () => ['work', 'replay', replayedRun],
    isReady: () => isRunning(`sleep ${REPLAY_SECONDS}`),
  },
  loop: { signals: ['SIGINT'], argv: () => loopWith('sleep 60'), isReady: prints(': started') },
  'loop, between two tasks': {
    signals: ['SIGTERM'],
    argv: () => loopWith('true'),
    isReady: prints(': incomplete'),
  },
};

/** Long commands that other tests interrupt. */
const ELSEWHERE = new Set([
  'agent login', // agent-login
  'agent run', // agent-failures
  'demo', // demo
  'integrator start', // test/postgres/fleet
  'triage apply', // triage-batch
  'update', // update-interrupted
  'work revise', // work-review
  'worker start', // test/postgres/fleet-failures
]);

/**
 * Writes that consist of one short transaction or of one step per target: they are completed or report what they skipped. A batch
 * checks the signal between two targets.
 */
const SHORT =
  /^(agent sessions prune|audit|config|gc|hook|memory|push|receipt (trust|untrust)|resume|setup|store|task|triage (feedback|protect)|worker drain|work (approve|cancel|commit|gc|recover|reject|rollback))\b/u;

/** A number that no other process of this machine has in its command. */
const REPLAY_SECONDS = `60.${process.pid}`;

let bench: WorkBench;
let slowPlan = '';
let replayedRun = '';

beforeAll(() => {
  bench = createBench();
  slowPlan = join(bench.home, 'slow.json');
  writeFileSync(slowPlan, JSON.stringify(item('slow', `touch ${join(bench.gate, 'running')}; sleep 60`)));
  // The run ends at once. A replay does not see the gate, and lasts until it is interrupted.
  const script = `echo x > x.txt; test -e ${bench.gate} || sleep ${REPLAY_SECONDS}`;
  replayedRun = bench.work([item('replayed', script)]).envelope.data.results[0].run_id as string;
});
afterAll(() => bench.dispose());

describe.concurrent('an interrupted command', () => {
  it.each(
    Object.entries(LONG).flatMap(([name, call], index) =>
      (call.signals ?? SIGNALS.filter((_, at) => isLong || at === index % SIGNALS.length)).map((signal) => ({
        name,
        call,
        signal,
      })),
    ),
  )('($name, $signal) is not answered with success', async ({ call, signal }) => {
    const { code, envelope } = lastLine(await interrupt(call, signal));
    expect(
      [code, envelope.ok, envelope.error?.code, envelope.error?.retryable],
      envelope.error?.message,
    ).toEqual([130, false, 'E_INTERRUPTED', true]);
  });

  it.each(isLong ? ['plan', 'snapshot', 'watch'] : ['plan'])(
    'of pt (%s) exits with 6 and stores nothing',
    async (verb) => {
      const home = createHome();
      const call = { argv: () => ['agent', verb, '--window', '60s'], isReady: inWindow };
      const run = await interrupt(call, 'SIGTERM', { executable: executable('pt'), home: home.path });
      const [first = ''] = run.stdout.trim().split('\n');
      expect([run.code, JSON.parse(first).error.code]).toEqual([6, 'INTERRUPTED']);
      expect(deed(['triage', 'sessions'], { home: home.path }).envelope.data.sessions).toEqual([]);
      home.dispose();
    },
  );

  it('(loop, between two tasks) claims no further task', async () => {
    const call = { argv: () => loopWith('/bin/true'), isReady: prints(': incomplete') };
    expect(lastLine(await interrupt(call, 'SIGINT')).envelope.error?.details.total).toBe(1);
    const held = bench.deed(['task', 'list', '--status', 'in_progress', ...storeOf('/bin/true')]);
    expect(held.envelope.data.count).toBe(0);
  });
});

it('every write is known to be short or is interrupted by a test', () => {
  const { commands } = deed(['reference']).envelope.data as { commands: { path: string; type: string }[] };
  const writes = commands.filter(({ type }) => type === 'write').map(({ path }) => path);
  const known = (path: string): boolean =>
    Object.hasOwn(LONG, path) || ELSEWHERE.has(path) || SHORT.test(path);
  expect(writes.filter((path) => !known(path))).toEqual([]);
});

/** Starts a call, waits until it is ready and sends a signal. */
async function interrupt(call: LongCall, signal: NodeJS.Signals, options: RunOptions = {}): Promise<Run> {
  const startedAt = performance.now();
  const child = startDeed(call.argv(), { home: bench.home, cwd: bench.tree, ...options });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (text: Buffer) => (output[name] += String(text)));
  const answer = waitFor(child);
  const isReady = (): boolean =>
    call.isReady({ ...output, ageMs: performance.now() - startedAt }) && handles(child.pid, signal);
  while (child.exitCode === null && !isReady()) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill(signal);
  return answer;
}

/** Whether a process has installed a handler: on a busy machine that can take longer than any fixed time. */
function handles(pid: number | undefined, signal: NodeJS.Signals): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const caught = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)/mu.exec(status)?.[1] ?? '0'}`);
  return ((caught >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

function isRunning(command: string): boolean {
  const commandOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    } catch {
      return ''; // It ended meanwhile.
    }
  };
  return readdirSync('/proc').some((name) => /^\d+$/u.test(name) && commandOf(name) === command);
}

/** The answer of a call: its envelope, or the error line of a stream. */
function lastLine(run: Run): { code: number | null; envelope: Run['envelope'] } {
  const line = run.stdout.split('\n').findLast((text) => text.startsWith('{"ok":false'));
  return { code: run.code, envelope: line === undefined ? run.envelope : JSON.parse(line) };
}

function tokenOf(...argv: string[]): string {
  return bench.deed([...argv, '--dry-run']).envelope.data.confirm_token as string;
}

/** Each loop has its own queue. */
function storeOf(command: string): readonly string[] {
  return ['--db-path', join(bench.home, `${command.replaceAll('/', '-')}.db`)];
}

function loopWith(command: string): readonly string[] {
  const store = storeOf(command);
  for (const title of ['one', 'two']) bench.confirmed('task', 'create', '--title', title, ...store);
  const argv = ['loop', '--command', command, '--cooldown', '60s', ...store];
  return [...argv, '--confirm', tokenOf(...argv)];
}
