import { countToolCalls } from '../../agent/accounting/tool-calls.ts';
import { llmTotals } from '../../agent/accounting/llm-totals.ts';
import { listSessions, type SessionSummary } from '../../agent/stored-session/list-sessions.ts';
import { planPrune, type PrunedFile } from '../../agent/stored-session/prune-sessions.ts';
import { readOpening } from '../../agent/stored-session/read-opening.ts';
import { describeSteps } from '../../agent/stored-session/describe-steps.ts';
import { readSession, readSessionRecords } from '../../agent/stored-session/read-session.ts';
import type { StoredSession } from '../../agent/stored-session/restore-session.ts';
import { setupOf } from '../../agent/stored-session/session-setup.ts';
import { isoTime } from '../../base/clock.ts';
import { excerpt } from '../../base/text.ts';
import type { CommandContext } from '../../contract/command.ts';
import { settingsOf } from '../../config/settings-of.ts';
import { namesIn, removeFiles } from '../retention/old-files.ts';
import { DAY_MS, type Removal } from '../retention/retention-rule.ts';

/** A stored session in command output. */
export interface SessionSummaryOutput {
  readonly id: string;
  readonly status: SessionSummary['status'];
  readonly updated_at: string;
  readonly turns: number;
  readonly tokens: number;
  readonly cost_usd: number;
  readonly bytes: number;
}

/** Lists the stored sessions, most recently changed first. */
export function listStoredSessions({ home }: CommandContext): readonly SessionSummaryOutput[] {
  return listSessions(home.at('sessions')).map(describeLine);
}

function describeLine({ id, status, updatedAt, totals, bytes }: SessionSummary): SessionSummaryOutput {
  return {
    id,
    status,
    updated_at: isoTime(updatedAt),
    turns: totals.turns,
    tokens: totals.tokens,
    cost_usd: totals.costUsd,
    bytes,
  };
}

/** What a stored session is about; null where its file cannot be read. */
export interface SessionTask {
  readonly agent: string | null;
  readonly cwd: string | null;
  /** The start of its first task. */
  readonly task: string | null;
}

const TASK_CHARACTERS = 120;

/** Describes what a stored session is about. Reads the start of its file. */
export async function describeTask(id: string, { home }: CommandContext): Promise<SessionTask> {
  const head = await readOpening(home.at('sessions'), id);
  if (head === undefined) return { agent: null, cwd: null, task: null };
  const { call, cwd } = head;
  return { agent: call.agentId, cwd, task: excerpt(call.userPrompt, TASK_CHARACTERS) };
}

/** Describes one stored session with its conversation. */
export function showStoredSession(id: string, { home }: CommandContext) {
  const folder = home.at('sessions');
  const saved = readSession(folder, id);
  const { call, cwd } = setupOf(saved);
  const line = listSessions(folder).find((each) => each.id === id);
  const { tokens, costUsd } = llmTotals([...saved.accounting, ...saved.inFlight]);
  return {
    id,
    status: line?.status ?? ('interrupted' as const),
    agent: call.agentId,
    cwd,
    forked_from: saved.forkedFrom ?? null,
    created_at: isoTime(saved.createdAt),
    updated_at: isoTime(saved.updatedAt),
    elapsed_ms: saved.elapsedMs,
    turns: saved.progress.turnsCompleted,
    tool_calls: countToolCalls(saved.accounting),
    tokens,
    cost_usd: costUsd,
    limits: describeLimits(saved, costUsd),
    error: saved.result?.error ?? null,
    /** Calls of the interrupted turn. */
    calls: [...saved.calls.values()].map(({ tool, arguments: args, result }) => ({
      tool,
      arguments: args,
      outcome:
        result === undefined ? ('unknown' as const) : result.ok ? ('ok' as const) : ('failed' as const),
    })),
    approvals: saved.approvals.map(({ call: position, tool, arguments: args, question }) => ({
      call: position,
      tool,
      arguments: args,
      ...(question !== undefined && { question: { ...question } }),
    })),
    report: saved.result === undefined ? null : { ...saved.result.finalReport },
    conversation: saved.conversation.map((message) => ({ ...message })),
  };
}

/** The limits of a session, each with its use; none if an earlier version stored it. Sub-agents count too, as they do while it runs. */
function describeLimits(
  { limits, progress, accounting, inFlight, elapsedMs }: StoredSession,
  costUsd: number,
): Record<string, { used: number; limit: number }> {
  const tokens = [...accounting, ...inFlight].reduce(
    (sum, entry) => sum + (entry.type === 'llm' ? entry.tokens.totalTokens : 0),
    0,
  );
  const rows: readonly (readonly [string, number, number | undefined])[] = [
    ['max_turns', progress.turn, limits?.maxTurns],
    ['max_total_tokens', tokens, limits?.maxTotalTokens],
    ['max_duration_ms', elapsedMs, limits?.maxDurationMs],
    ['max_cost_usd', costUsd, limits?.maxCostUsd],
  ];
  return Object.fromEntries(
    rows.flatMap(([name, used, limit]) => (limit === undefined ? [] : [[name, { used, limit }]])),
  );
}

/** Describes the steps of a stored session. */
export function describeSessionSteps(id: string, { home }: CommandContext) {
  const folder = home.at('sessions');
  const isRunning = listSessions(folder).find((each) => each.id === id)?.status === 'running';
  return describeSteps(readSessionRecords(folder, id), { isRunning }).map((step) => ({
    at: isoTime(step.at),
    turn: step.turn,
    kind: step.kind,
    name: step.name,
    agents: step.agents,
    status: step.status,
    latency_ms: step.latencyMs,
    tokens: step.tokens,
    cost_usd: step.costUsd,
    context_tokens: step.contextTokens,
    context_limit: step.contextLimit,
    dropped_tokens: step.droppedTokens,
    reason: step.reason === null ? null : excerpt(step.reason, REASON_CHARACTERS),
  }));
}

const REASON_CHARACTERS = 500;

export interface PruneParameters {
  readonly keep_days?: number | undefined;
  readonly keep_bytes?: number | undefined;
}

/** Lists the files that a prune deletes; the settings apply where a limit is not given. */
export function planSessionPrune(params: PruneParameters, context: CommandContext): readonly PrunedFile[] {
  const settings = settingsOf(context);
  const days = params.keep_days ?? Number(settings.get('retention.sessions_days').value);
  const maxBytes = params.keep_bytes ?? Number(settings.get('retention.sessions_bytes').value);
  const folder = context.home.at('sessions');
  const before = context.system.clock.now() - days * DAY_MS;
  return planPrune(folder, namesIn(folder), { since: 0, before, maxBytes });
}

/** Deletes the files that exceed the limits. */
export function pruneStoredSessions(params: PruneParameters, context: CommandContext): Removal {
  return removeFiles(planSessionPrune(params, context));
}
