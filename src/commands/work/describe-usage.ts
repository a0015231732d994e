import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { deltaSize } from '../../work/admission/check-admission.ts';
import type { Constraints } from '../../work/item/work-item.ts';
import type { Receipt } from '../../work/receipt/receipt.ts';
import { isCounted } from '../../work/run/capsule-of.ts';
import type { RunDraft } from '../../work/run/run-draft.ts';

/** What a run used: time, tests, and each limit with its use. */
export interface RunUsage {
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** When a person decided about it. */
  readonly decided_at: string | null;
  readonly durations: {
    readonly total_ms: number | null;
    readonly agent_ms: number;
    readonly tests_ms: number | null;
  };
  readonly tests: JsonObject | null;
  readonly limits: Record<string, { readonly used: number; readonly limit: number }>;
  /** The agent's session, models, tokens and cost. */
  readonly agent: JsonObject | null;
}

/** Describes what an ended run used, or an open one so far. */
export function describeUsage(
  receipt: Receipt | undefined,
  draft: RunDraft | undefined,
  nowMs: number,
): RunUsage {
  const used = receipt ? ofReceipt(receipt) : draft && ofDraft(draft);
  const startedAt = receipt?.started_at ?? draft?.startedAt ?? null;
  const endedAt = receipt?.timestamp_iso ?? null;
  const testsMs = used?.tests?.duration_ms;
  return {
    started_at: startedAt,
    ended_at: endedAt,
    decided_at: decisionOf(receipt, draft),
    durations: {
      total_ms:
        startedAt === null ? null : (endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt),
      agent_ms: used?.agentMs ?? 0,
      tests_ms: typeof testsMs === 'number' ? testsMs : null,
    },
    tests: used?.tests ?? null,
    limits: used === undefined ? {} : describeUsedLimits(used),
    agent: used?.agent ?? null,
  };
}

function decisionOf(receipt: Receipt | undefined, draft: RunDraft | undefined): string | null {
  const at = (receipt ?? draft)?.approval?.at;
  return typeof at === 'string' ? at : null;
}

interface Used {
  readonly constraints: Partial<Constraints>;
  readonly files: number;
  readonly toolOps: number;
  readonly deltaSize: number;
  readonly agentMs: number;
  readonly tests: JsonObject | null;
  readonly agent: JsonObject | null;
}

function ofReceipt({ budget, artifacts, tool_trace: trace, deltas, tests }: Receipt): Used {
  return {
    constraints: isPlainObject(budget.limits) ? budget.limits : {},
    files: artifacts.length,
    toolOps: trace.length,
    deltaSize: deltaSize(deltas),
    agentMs: Number(budget.time_used_ms ?? 0),
    tests: tests ?? null,
    agent: isPlainObject(budget.agent) ? budget.agent : null,
  };
}

function ofDraft({ item, changes, toolTrace, deltas, executionMs, usage, tests }: RunDraft): Used {
  return {
    constraints: item.constraints,
    files: changes.filter(isCounted).length,
    toolOps: toolTrace.length,
    deltaSize: deltaSize(deltas),
    agentMs: executionMs,
    tests: tests ? { command: tests.command, passed: tests.passed, duration_ms: tests.durationMs } : null,
    agent: usage ?? null,
  };
}

/** The limits of a run, each with its use. */
export function describeUsedLimits({
  constraints,
  files,
  toolOps,
  deltaSize: size,
  agentMs,
}: Omit<Used, 'tests' | 'agent'>): RunUsage['limits'] {
  const rows: readonly (readonly [string, number, number | undefined])[] = [
    ['max_files', files, constraints.max_files],
    ['max_tool_ops', toolOps, constraints.max_tool_ops],
    ['max_delta_size', size, constraints.max_delta_size],
    ['timeout_ms', agentMs, constraints.timeout_ms],
  ];
  return Object.fromEntries(
    rows.flatMap(([name, used, limit]) => (limit === undefined ? [] : [[name, { used, limit }]])),
  );
}
