import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFleetBench, type FleetHost } from '../test/fixtures/fleet-bench.ts';
import { startLlmServer } from '../test/fixtures/llm-server.ts';
import { findPostgres, startPostgres } from '../test/fixtures/postgres-server.ts';
import { scriptModel, type ModelStep } from '../test/fixtures/script-model.ts';
import { createBench, item } from '../test/fixtures/work-bench.ts';
import { medianOf, ratioOf } from './measure.ts';
import { childrenMs, createMeter, processMs, serverMs } from './processor-time.ts';
import type { Report, Row } from './report.ts';

const ITEMS = 24;
const WARM_ITEMS = 8;
const ROUNDS = 5;
/** The workers start together, so their surveys end together. */
const SURVEY_MS = 3000;
const BRANCH = 'one machine, one commit for each item: work run --jobs 2 --branch';
const TREE = 'one machine, files only: work run --jobs 2';
const FLEET = 'a fleet: two workers, an integrator, the caller and Postgres';

/** What the items are, and how their processor time is counted. */
interface Workload {
  readonly files: Readonly<Record<string, string>>;
  /** Prepares a home for the agents. */
  readonly setUp: (home: string) => void;
  readonly item: (id: string) => Record<string, unknown>;
  /** Counts everything; without it, the processes that are started, which leaves out sandboxes. */
  readonly total?: () => number;
}

/** The processor time of an item on one machine and over a queue, promotion included. Empty without Postgres. */
export async function fleetOverhead(): Promise<readonly Report[]> {
  if (findPostgres() === undefined) return [];
  const bare = await compare(SCRIPTS);
  const reports = [
    {
      title: 'An item over a queue, without its agent',
      note: `${NOTE} What runs inside a sandbox is not counted, and the agent is an \`echo\`, so this is the whole difference.`,
      rows: bare,
    },
  ];
  const meter = createMeter();
  if (meter === undefined) return reports;
  const server = await startLlmServer();
  try {
    scriptModel(server, SESSION);
    const rows = await compare({ ...sessionsWith(`${server.url}/v1`), total: meter.milliseconds });
    return [
      ...reports,
      {
        title: 'An item over a queue, with a built-in agent',
        note: `${NOTE} The agent makes ${SESSION.length - 1} tool calls; all its processor time is counted, but not that of the model.`,
        rows: rows.map((row) => (row.name === FLEET ? { ...row, target: 2 } : row)),
      },
    ];
  } finally {
    await server.close();
    meter.dispose();
  }
}

const NOTE = `Processor time per item; ${ITEMS} items in two chains, ${ROUNDS} rounds in turn, each compared with itself.`;

/**
 * A fleet lands each item as a commit on a branch, so it is compared with a run that does the same; a run that only changes files is
 * shown too.
 */
async function compare(workload: Workload): Promise<readonly Row[]> {
  const cases = new Map([
    [BRANCH, () => measureAlone(workload, '--branch', 'landing')],
    [TREE, () => measureAlone(workload)],
    [FLEET, () => measureFleet(workload)],
  ]);
  const times = new Map([...cases.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, measure] of cases) times.get(name)?.push(await measure());
  // Each round is compared with itself: on a busy machine, the same work costs more in some minutes than in others.
  return [...cases.keys()].map((name) => ({
    name,
    milliseconds: medianOf(times, name),
    ratio: ratioOf(times, name, BRANCH),
  }));
}

const SCRIPTS: Workload = {
  files: {},
  setUp: () => undefined,
  item: (id) => item(id, `echo ${id} > ${id}.txt`),
};

/** Reads, changes twice, and looks at the result. */
const SESSION: readonly ModelStep[] = [
  ...['cat a.txt', 'echo one > "$DEED_ITEM_ID.txt"', 'echo two >> "$DEED_ITEM_ID.txt"', 'git diff'].map(
    (command): ModelStep => ({ calls: [['run', { command }]] }),
  ),
  { report: 'Done.' },
];

function sessionsWith(baseUrl: string): Workload {
  const agent = ['---', 'models: p/gpt-4o', 'toolingTransport: native', '---', 'You make files.', ''];
  const provider = { type: 'openai-compatible', mode: 'chat', apiKey: 'sk-test-0123456789abcdef', baseUrl };
  return {
    files: { 'agents/make.ai': agent.join('\n') },
    setUp: (home) => {
      mkdirSync(join(home, '.ai-agent'));
      writeFileSync(join(home, '.ai-agent/ai-agent.json'), JSON.stringify({ providers: { p: provider } }));
    },
    item: (id) => item(id, 'Make the file.', { agent_id: 'agents/make.ai' }),
  };
}

/** Two chains: two workers are busy, and every second result finds that the branch has moved. */
function plan(workload: Workload, prefix: string, count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    ...workload.item(`${prefix}${index}`),
    dependencies: index < 2 ? [] : [`${prefix}${index - 2}`],
  }));
}

async function measureAlone(workload: Workload, ...flags: string[]): Promise<number> {
  const bench = createBench();
  try {
    for (const [path, content] of Object.entries(workload.files)) bench.write(path, content);
    bench.git('config', 'user.name', 'bench');
    bench.git('config', 'user.email', 'bench@example.org');
    bench.git('add', '--all');
    bench.git('commit', '--quiet', '--allow-empty', '--message', 'agents');
    workload.setUp(bench.home);
    const total = workload.total ?? childrenMs;
    const before = total();
    const run = await bench.workAsync(plan(workload, 'i', ITEMS), '--jobs', '2', ...flags);
    if (!run.envelope.ok) throw new Error(run.stdout);
    return (total() - before) / ITEMS;
  } finally {
    bench.dispose();
  }
}

/** The workers have started and run items before, as on a host that runs items all day. */
async function measureFleet(workload: Workload): Promise<number> {
  const server = startPostgres();
  const bench = createFleetBench({ 'a.txt': 'one\n', ...workload.files }, server.urlOf('deed'));
  try {
    // As docs/fleet.md recommends for a remote on your host.
    bench.git('config', 'receive.autoGC', 'false');
    const host = (name: string): FleetHost => {
      const made = bench.host(name);
      workload.setUp(made.home);
      return made;
    };
    const caller = host('caller');
    const serving = [
      host('one').start('worker', 'start'),
      host('two').start('worker', 'start'),
      host('lands').start('integrator', 'start'),
    ];
    const total =
      workload.total ??
      (() => serving.reduce((sum, { child }) => sum + processMs(child.pid), childrenMs() + serverMs(server)));
    const run = async (prefix: string, count: number): Promise<number> => {
      const before = total();
      const ended = await caller.writeAsync(
        'work',
        'run',
        caller.plan(plan(workload, prefix, count)),
        '--on',
        'default',
      );
      if (!ended.envelope.ok) throw new Error(ended.stdout);
      return (total() - before) / count;
    };
    await run('warm', WARM_ITEMS);
    await waitForSurveys(caller);
    return await run('i', ITEMS);
  } finally {
    await bench.dispose();
    server.dispose();
  }
}

/** Waits until each worker has sent its host report: the survey for it runs every five minutes and takes as much time as several items. */
async function waitForSurveys(host: FleetHost): Promise<void> {
  while (host.read('triage', 'fleet').envelope.data.count === 0) await sleep(500);
  await sleep(SURVEY_MS);
}
