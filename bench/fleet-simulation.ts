/**
 * Simulates a day of a fleet, event by event, to find what limits it first:
 *   node bench/fleet-simulation.ts [--workers 1000] [--items 100000] [--branches 1] [--batch 1] [--test-seconds 20] …
 * The costs are those that were measured on one machine of two cores (docs/fleet.md); each can be set by a flag of its name.
 */
import { parseArgs } from 'node:util';
import { createEventQueue, createRandom, type Random } from './simulation-events.ts';

const DEFAULTS = {
  workers: 1000,
  /** Submitted in a day; arrivals follow working hours: twice the average at noon, none at midnight. */
  items: 100_000,
  /** Items of a job in a chain; the rest of a job is independent. */
  chain: 4,
  /** The median of an agent's time, and of the fixed costs around it. */
  agentSeconds: 240,
  claimMs: 350,
  deliverMs: 250,
  /** A landing: `mergeMs` and the tests of the merged tree once, `landingMs` for each result. */
  landingMs: 300,
  mergeMs: 500,
  testSeconds: 20,
  /** Branches that items land on; landings of a branch are serial. */
  branches: 1,
  /** Results that land together: up to 8 without tests. With tests it is 1, because each is tested on what has landed. */
  batch: 1,
  /** Deaths of each worker per day. */
  deathsPerWorker: 1,
  takeoverSeconds: 12,
  /** Database time per statement, and the number of database cores. */
  statementMs: 0.5,
  databaseCores: 4,
  heartbeatSeconds: 3,
  pollSeconds: 5,
  announceSeconds: 5,
  superviseSeconds: 25,
  seed: 1,
};
type Parameters = typeof DEFAULTS;

const DAY_S = 86_400;

interface Item {
  readonly job: number;
  readonly branch: number;
  readonly arrivedAt: number;
  /** The item that waits for this one to land. */
  readonly next: Item | undefined;
  readyAt: number;
}

interface Outcome {
  readonly landed: number;
  readonly waitForWorkerS: readonly number[];
  readonly waitForLandingS: readonly number[];
  /** The share of the day in which the busiest branch was landing. */
  readonly landingUse: number;
  readonly workerUse: number;
  readonly lastLandingS: number;
}

/** Runs the day: items arrive, wait for a worker, run, wait for their branch, land, and release those that depend on them. */
export function simulate(given: Parameters): Outcome {
  const random = createRandom(given.seed);
  const events = createEventQueue();
  const ready: Item[] = [];
  const branches = Array.from({ length: given.branches }, () => ({
    waiting: [] as { item: Item; at: number }[],
    isBusy: false,
    busyS: 0,
  }));
  const waits: number[] = [];
  const landingWaits: number[] = [];
  let [idle, busyS, landed, lastLandingS] = [given.workers, 0, 0, 0];

  const start = (now: number): void => {
    while (idle > 0 && ready.length > 0) {
      const item = ready.shift() as Item;
      idle -= 1;
      waits.push(now - item.readyAt);
      const { durationS, isLost } = workOn(random, given);
      busyS += durationS;
      events.add(now + durationS, (at) => {
        idle += 1;
        if (isLost) ready.unshift(item);
        else deliver(item, at);
        start(at);
      });
    }
  };
  const deliver = (item: Item, now: number): void => {
    branches[item.branch]?.waiting.push({ item, at: now });
    land(item.branch, now);
  };
  const land = (index: number, now: number): void => {
    const branch = branches[index];
    if (branch === undefined || branch.isBusy || branch.waiting.length === 0) return;
    branch.isBusy = true;
    const together = branch.waiting.splice(0, given.batch);
    // Others have landed since a run of minutes began, so nearly every result is merged.
    const seconds = given.testSeconds + (given.mergeMs + given.landingMs * together.length) / 1000;
    branch.busyS += seconds;
    for (const { at } of together) landingWaits.push(now - at);
    events.add(now + seconds, (at) => {
      branch.isBusy = false;
      landed += together.length;
      lastLandingS = at;
      for (const { item } of together)
        if (item.next !== undefined) {
          item.next.readyAt = at;
          ready.push(item.next);
        }
      land(index, at);
      start(at);
    });
  };
  for (const item of arrivals(random, given))
    events.add(item.arrivedAt, (at) => {
      item.readyAt = at;
      ready.push(item);
      start(at);
    });
  events.run();
  return {
    landed,
    waitForWorkerS: waits,
    waitForLandingS: landingWaits,
    landingUse: Math.max(...branches.map((each) => each.busyS)) / DAY_S,
    workerUse: busyS / (given.workers * DAY_S),
    lastLandingS,
  };
}

/** How long a worker has an item, and whether the worker is killed meanwhile, so that another worker gets the item. */
function workOn(random: Random, given: Parameters): { readonly durationS: number; readonly isLost: boolean } {
  const seconds = agentTime(random, given) + (given.claimMs + given.deliverMs) / 1000;
  const isLost = random.next() < (given.deathsPerWorker * seconds) / DAY_S;
  return { isLost, durationS: isLost ? seconds * random.next() + given.takeoverSeconds : seconds };
}

/** The first items of all chains, in the order in which their jobs are submitted. */
function arrivals(random: Random, { items, chain, branches }: Parameters): readonly Item[] {
  const jobs = Math.ceil(items / chain);
  return Array.from({ length: jobs }, (_, job) => {
    let at: number;
    do at = random.next() * DAY_S;
    while (random.next() > (1 - Math.cos((2 * Math.PI * at) / DAY_S)) / 2);
    const common = { job, branch: job % branches, arrivedAt: at, readyAt: at };
    let item: Item | undefined;
    for (let place = 0; place < chain; place += 1) item = { ...common, next: item };
    return item as Item;
  });
}

/** Times of agents are skewed: a few take much longer than the median. */
function agentTime(random: Random, { agentSeconds }: Parameters): number {
  return agentSeconds * Math.exp(0.7 * random.normal());
}

/** The statements that the database runs in a second when all workers are busy, and the share of its cores that they use. */
export function databaseLoad(given: Parameters): {
  readonly perSecond: Record<string, number>;
  readonly use: number;
} {
  const { workers, items } = given;
  const perSecond = {
    heartbeats: workers / given.heartbeatSeconds,
    announcements: (2 * workers) / given.announceSeconds,
    polls: (2 * workers) / given.pollSeconds,
    // Each process asks whether a pass is due; all together make one every two seconds.
    supervision: workers / given.superviseSeconds + 4,
    // Claim, completion and release of dependents, for the work and for the landing, and the journal of a run.
    items: (20 * items * 2) / DAY_S,
  };
  const all = Object.values(perSecond).reduce((sum, value) => sum + value, 0);
  return { perSecond, use: (all * given.statementMs) / 1000 / given.databaseCores };
}

function main(): void {
  const options = Object.fromEntries(
    Object.keys(DEFAULTS).map((name) => [kebab(name), { type: 'string' as const }]),
  );
  const { values } = parseArgs({ options });
  const given = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, value]) => [name, Number(values[kebab(name)] ?? value)]),
  ) as Parameters;
  const outcome = simulate(given);
  const { perSecond, use } = databaseLoad(given);
  const lines = [
    `${given.workers} workers, ${given.items} items a day, ${given.branches} branches, ${given.batch} results a landing`,
    `landed ${outcome.landed}; the last one ${((outcome.lastLandingS - DAY_S) / 3600).toFixed(1)} h after the day`,
    `workers busy ${percent(outcome.workerUse)}; wait for a worker: median ${at(outcome.waitForWorkerS, 0.5)} s, 99 % ${at(outcome.waitForWorkerS, 0.99)} s`,
    `busiest branch landing ${percent(outcome.landingUse)}; wait to land: median ${at(outcome.waitForLandingS, 0.5)} s, 99 % ${at(outcome.waitForLandingS, 0.99)} s`,
    `statements a second: ${Object.entries(perSecond)
      .map(([name, value]) => `${name} ${value.toFixed(0)}`)
      .join(', ')}; database busy ${percent(use)}`,
  ];
  console.log(lines.join('\n'));
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function at(values: readonly number[], share: number): string {
  const sorted = values.toSorted((left, right) => left - right);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

if (import.meta.main) main();
