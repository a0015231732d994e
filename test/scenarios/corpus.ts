import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessClass } from '../../src/triage/assessment.ts';
import { DEFAULT_PARAMETERS } from '../../src/triage/parameters/load-parameters.ts';
import { collect } from '../../src/triage/proc/collect.ts';
import type { ProcessSnapshot } from '../../src/triage/process-snapshot.ts';
import { AGENTS, RUNS } from './families/agents.ts';
import { DAEMONS } from './families/daemons.ts';
import { DEV_SERVERS } from './families/dev-servers.ts';
import { ZOMBIES } from './families/zombies.ts';
import { JOBS } from './families/jobs.ts';
import { MCP } from './families/mcp.ts';
import { BYSTANDERS, EDGE_CASES } from './families/edge-cases.ts';
import { TERMINALS } from './families/terminals.ts';
import { TESTS } from './families/tests.ts';
import { TOOLS } from './families/tools.ts';
import { VARIETY } from './families/variety.ts';
import { labelsOf, type Scenario } from './scenario.ts';
import { openScenarioHost, type ScenarioHost } from './scenario-host.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...MCP,
  ...AGENTS,
  ...TESTS,
  ...DEV_SERVERS,
  ...TERMINALS,
  ...DAEMONS,
  ...JOBS,
  ...TOOLS,
  ...ZOMBIES,
  ...EDGE_CASES,
];
export const CORPUS: readonly Scenario[] = [...SCENARIOS, ...VARIETY, ...BYSTANDERS];

export interface Labelled {
  readonly pid: number;
  readonly truth: ProcessClass;
  readonly family: string;
  readonly scenario: string;
  readonly label: string;
}

export interface Recording {
  readonly snapshot: ProcessSnapshot;
  readonly labelled: readonly Labelled[];
  /** Skipped because the machine lacks what they need. */
  readonly omitted: readonly string[];
}

const CONCURRENT = 8;

/** Starts scenarios, takes one snapshot of all their processes, and kills them. */
export async function recordCorpus(scenarios: readonly Scenario[], windowMs = 500): Promise<Recording> {
  const runnable = scenarios
    .filter(({ needs }) => needs === undefined || hasNeed(needs))
    .toSorted((left, right) => Number(left.busy ?? false) - Number(right.busy ?? false));
  const host = openScenarioHost();
  try {
    const labelled: Labelled[] = [];
    for (let start = 0; start < runnable.length; start += CONCURRENT) {
      const together = runnable.slice(start, start + CONCURRENT).map(async (scenario, offset) => {
        const own = (label: string): string => `${start + offset}-${label}`;
        await scenario.run(host, own);
        return label(host, scenario, own);
      });
      labelled.push(...(await Promise.all(together)).flat());
    }
    const snapshot = await collect('/proc', {
      host: 'test',
      observer: { pid: process.pid, uid: process.getuid?.() ?? 0 },
      sleep: (milliseconds) => sleep(milliseconds),
      now: Date.now,
      windowMs,
      names: DEFAULT_PARAMETERS.names,
      deepPids: labelled.map(({ pid }) => pid),
    });
    return {
      snapshot: { ...snapshot, runs: RUNS },
      labelled,
      omitted: scenarios.filter((one) => !runnable.includes(one)).map(({ name }) => name),
    };
  } finally {
    await host.close();
  }
}

async function label(
  host: ScenarioHost,
  scenario: Scenario,
  own: (label: string) => string,
): Promise<Labelled[]> {
  return Promise.all(
    labelsOf(scenario).map(async ({ label, truth }) => {
      const pid = await (truth === 'zombie' ? host.endOf(own(label)) : host.pidOf(own(label)));
      return { pid, truth, family: scenario.family, scenario: scenario.name, label };
    }),
  );
}

function hasNeed(need: NonNullable<Scenario['needs']>): boolean {
  if (need === 'root') return process.getuid?.() === 0;
  try {
    execFileSync('which', [need], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
