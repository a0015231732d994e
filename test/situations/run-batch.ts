/** Runs inside a pid namespace: starts the situations of one batch, makes a plan at each age, and writes what the plans propose. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FAMILIES } from './corpus.ts';
import { AGES, openAgeFake, type Age } from './fake-age.ts';
import { CACHE } from './installed.ts';
import { observe, type Candidate } from './observe.ts';
import type { BatchObservation, SituationObservation } from './observation.ts';
import { ageQuietFiles } from './quiet-files.ts';
import type { Situation } from './situation.ts';
import { startSituation } from './start-situation.ts';

const [, , folder = '', pt = '', result = '', ids = ''] = process.argv;
const SETTLE_MS = 6000;
const SLOW_PORT = 19_999;
const FIRST_PORT = 20_000;
const AT_ONCE = 4;

const wanted = new Set(ids.split(','));
const situations = FAMILIES.flatMap((family) => family.situations).filter(({ id }) => wanted.has(id));
const env = await startServices(situations);
const problems = await startAll(situations, env);
await sleep(SETTLE_MS);
writeFileSync(result, JSON.stringify(await planAtAllAges()));
// The end of this process ends the namespace and all that was started in it.

async function startServices(of: readonly Situation[]): Promise<Record<string, string>> {
  const slow = new URL('programs/slow-server.cjs', import.meta.url).pathname;
  spawn(process.execPath, [slow, String(SLOW_PORT)], { stdio: 'ignore' });
  const variables = { ...plainEnvironment(), SLOW: `http://127.0.0.1:${SLOW_PORT}` };
  if (!of.some(({ display }) => display === true)) return variables;
  spawn('Xvfb', [':77', '-screen', '0', '800x600x24'], { stdio: 'ignore' });
  await sleep(2000);
  return { ...variables, DISPLAY: ':77' };
}

function plainEnvironment(): Record<string, string> {
  const programs = new URL('programs', import.meta.url).pathname;
  return {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    PROGRAMS: programs,
    // Shared, because an empty cache makes the first Go build take a minute.
    GOCACHE: join(CACHE, 'go'),
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? '',
  };
}

/** Starts a few at a time; CPU-bound ones are last, because they slow down the others. */
async function startAll(of: readonly Situation[], variables: Record<string, string>) {
  const queue = of
    .toSorted((a, b) => Number(a.busy ?? false) - Number(b.busy ?? false))
    .map((situation, index) => ({ situation, index }));
  const failed = new Map<string, string>();
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const context = { folder, env: variables, port: FIRST_PORT + next.index * 10 };
      const problem = await startSituation(next.situation, context);
      if (problem !== undefined) failed.set(next.situation.id, problem);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return failed;
}

async function planAtAllAges(): Promise<BatchObservation> {
  const fake = openAgeFake(folder);
  const seen = new Map<string, SituationObservation>(situations.map(({ id }) => [id, { id, cases: [] }]));
  const plans: BatchObservation['plans'][number][] = [];
  const runnerActions: BatchObservation['runnerActions'][number][] = [];
  for (const age of Object.keys(AGES) as Age[]) {
    fake.set(AGES[age]);
    ageQuietFiles(folder, situations);
    const started = performance.now();
    const { candidates, scanned } = plan();
    plans.push({ age, scanned, milliseconds: Math.round(performance.now() - started) });
    const observed = observe({ folder, age, candidates, situations, problems });
    runnerActions.push(...observed.runnerActions.map((proposal) => ({ age, proposal })));
    for (const { id, problem, cases } of observed.situations) {
      const before = seen.get(id)?.cases ?? [];
      seen.set(id, { id, cases: [...before, ...cases], ...(problem === undefined ? {} : { problem }) });
    }
  }
  return { situations: [...seen.values()], plans, runnerActions };
}

function plan(): { readonly candidates: readonly Candidate[]; readonly scanned: number } {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const { stdout, stderr, status } = spawnSync(
    pt,
    ['agent', 'plan', '--window', '1s', '--limit', '1000', '--format', 'json'],
    {
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  );
  if (status !== 0) throw new Error(`pt agent plan failed with ${status}: ${stderr}${stdout.slice(0, 500)}`);
  const answer = JSON.parse(stdout) as { candidates: Candidate[]; summary: { total_scanned: number } };
  return { candidates: answer.candidates, scanned: answer.summary.total_scanned };
}

process.exit(readFileSync(result).length > 0 ? 0 : 1);
