import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessClass } from '../../src/triage/assessment.ts';
import { DEFAULT_PARAMETERS } from '../../src/triage/parameters/load-parameters.ts';
import { collect } from '../../src/triage/proc/collect.ts';
import type { Snapshot } from '../../src/triage/process-snapshot.ts';
import { AGENTS, RUNS } from './families/agents.ts';
import { DAEMONS } from './families/daemons.ts';
import { DEV_SERVERS } from './families/dev-servers.ts';
import { ENDED } from './families/ended.ts';
import { JOBS } from './families/jobs.ts';
import { MCP } from './families/mcp.ts';
import { BYSTANDERS, ODDITIES } from './families/oddities.ts';
import { TERMINALS } from './families/terminals.ts';
import { TESTS } from './families/tests.ts';
import { TOOLS } from './families/tools.ts';
import { labelsOf, type Scenario } from './scenario.ts';
import { openStage, type Stage } from './stage.ts';

export const SITUATIONS: readonly Scenario[] = [
  ...MCP,
  ...AGENTS,
  ...TESTS,
  ...DEV_SERVERS,
  ...TERMINALS,
  ...DAEMONS,
  ...JOBS,
  ...TOOLS,
  ...ENDED,
  ...ODDITIES,
];
export const CORPUS: readonly Scenario[] = [...SITUATIONS, ...BYSTANDERS];

export interface Labelled {
  readonly pid: number;
  readonly truth: ProcessClass;
  readonly family: string;
  readonly scenario: string;
  readonly label: string;
}

export interface Recording {
  readonly snapshot: Snapshot;
  readonly labelled: readonly Labelled[];
  /** Left out because the machine lacks what they need. */
  readonly omitted: readonly string[];
}

const AT_ONCE = 8;

/** Plays scenarios all at once, takes one snapshot of them, and ends them. */
export async function recordCorpus(scenarios: readonly Scenario[], windowMs = 500): Promise<Recording> {
  const able = scenarios
    .filter(({ needs }) => needs === undefined || hasNeed(needs))
    .toSorted((left, right) => Number(left.busy ?? false) - Number(right.busy ?? false));
  const stage = openStage();
  try {
    const labelled: Labelled[] = [];
    for (let begin = 0; begin < able.length; begin += AT_ONCE) {
      const together = able.slice(begin, begin + AT_ONCE).map(async (scenario, offset) => {
        const own = (label: string): string => `${begin + offset}-${label}`;
        await scenario.play(stage, own);
        return label(stage, scenario, own);
      });
      labelled.push(...(await Promise.all(together)).flat());
    }
    const snapshot = await collect('/proc', {
      host: 'stage',
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
      omitted: scenarios.filter((one) => !able.includes(one)).map(({ name }) => name),
    };
  } finally {
    await stage.close();
  }
}

async function label(stage: Stage, scenario: Scenario, own: (label: string) => string): Promise<Labelled[]> {
  return Promise.all(
    labelsOf(scenario).map(async ({ label, truth }) => {
      const pid = await (truth === 'zombie' ? stage.endOf(own(label)) : stage.pidOf(own(label)));
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
