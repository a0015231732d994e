import { ownMember } from '../../base/own-member.ts';
import * as v from 'valibot';
import { isDamaged } from '../../base/damaged.ts';
import { int, number } from '../../base/schema.ts';
import { excerpt } from '../../base/text.ts';
import type { Job } from '../../work/plan/job.ts';
import { readFleetStates } from '../../work/plan/fleet-states.ts';
import { readReceipt } from '../../work/receipt/read-receipt.ts';
import { readSteps, type RunStep } from '../../work/run/run-state.ts';
import { readDraft } from '../../work/run/stored-draft.ts';
import { deliveredReceipt } from './delivered-receipt.ts';
import { describeUsage } from './describe-usage.ts';
import { STEP_TIMES } from './work-schemas.ts';

/** What a timeline and a graph of a job show of an item. */
export const ITEM_DETAIL = {
  agent_id: v.string(),
  title: v.string(),
  dependencies: v.array(v.string()),
  started_at: v.nullable(v.string()),
  ended_at: v.nullable(v.string()),
  decided_at: v.nullable(v.string()),
  agent_ms: int(),
  tests_ms: v.nullable(int()),
  steps: STEP_TIMES,
  cost_usd: v.nullable(number()),
  rolled_back: v.boolean(),
};

interface ItemDetail {
  readonly agent_id: string;
  readonly title: string;
  readonly dependencies: string[];
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly decided_at: string | null;
  readonly agent_ms: number;
  readonly tests_ms: number | null;
  readonly steps?: RunStep[];
  readonly cost_usd: number | null;
  readonly rolled_back: boolean;
}

const TITLE_CHARACTERS = 120;

/** Describes an item of a job and its last run. */
export function describeItem(
  home: string,
  job: Job,
  itemId: string,
  { nowMs, rolledBack }: { readonly nowMs: number; readonly rolledBack: ReadonlySet<string> },
): ItemDetail | undefined {
  const item = job.items.find(({ id }) => id === itemId);
  if (item === undefined) return undefined;
  const used =
    job.fleet === undefined
      ? readRunUsage(home, ownMember(job.runs, itemId), nowMs)
      : describeUsage(deliveredReceipt(ownMember(readFleetStates(home, job.id), itemId)), undefined, nowMs);
  const { started_at, ended_at, decided_at, durations } = used;
  // The worker of an item in a queue reports its steps.
  const steps = job.fleet === undefined ? stepsOf(home, ownMember(job.runs, itemId)) : [];
  return {
    agent_id: item.agent_id,
    title: excerpt(item.description.trim().split('\n', 1)[0] ?? '', TITLE_CHARACTERS),
    dependencies: [...item.dependencies],
    started_at,
    ended_at,
    decided_at,
    agent_ms: durations.agent_ms,
    tests_ms: durations.tests_ms,
    ...(steps.length > 0 && { steps }),
    cost_usd: costOf(used),
    rolled_back: rolledBack.has(ownMember(job.runs, itemId) ?? ''),
  };
}

function stepsOf(home: string, runId: string | undefined): RunStep[] {
  return runId === undefined ? [] : [...readSteps(home, runId)];
}

/** Returns what the agent of a run reported as its cost; null if it reported none. */
export function readRunCost(home: string, runId: string, nowMs: number): number | null {
  return costOf(readRunUsage(home, runId, nowMs));
}

function costOf({ agent }: ReturnType<typeof describeUsage>): number | null {
  const cost = agent?.cost_usd;
  return typeof cost === 'number' ? cost : null;
}

/** Reads what a run has used so far. Of a damaged run everything is unknown; its status reports the damage. */
export function readRunUsage(
  home: string,
  runId: string | undefined,
  nowMs: number,
): ReturnType<typeof describeUsage> {
  const nothing = describeUsage(undefined, undefined, nowMs);
  if (runId === undefined) return nothing;
  try {
    const draft = readDraft(home, runId);
    return describeUsage(draft === undefined ? readReceipt(home, runId) : undefined, draft, nowMs);
  } catch (error) {
    if (isDamaged(error)) return nothing;
    throw error;
  }
}
