import { readTruncation } from '../tools/truncate-response.ts';
import type { AccountingEntry } from '../accounting-entry.ts';
import type { SessionRecord } from '../session-record.ts';

/** One step of a session: a request to a model, a tool call, or a change of the context. */
export interface SessionStep {
  readonly at: number;
  /** Starts at 1. */
  readonly turn: number;
  readonly kind: 'request' | 'tool' | 'compaction';
  /** The model, or the tool. */
  readonly name: string;
  /** The agents from the session to the sub-agent that made this step; null for the session itself. */
  readonly agents: string | null;
  /** `rejected`: the answer was unusable, so another request followed. `unknown`: the process ended before the outcome was recorded. */
  readonly status: 'ok' | 'failed' | 'rejected' | 'running' | 'unknown';
  readonly latencyMs: number | null;
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number } | null;
  readonly costUsd: number | null;
  /** The estimated size of the context after this turn; on its last step. */
  readonly contextTokens: number | null;
  /** How many tokens the smallest model accepts; on the same step. */
  readonly contextLimit: number | null;
  /** The size of an output that did not fit into the context. */
  readonly droppedTokens: number | null;
  /** Why it failed, was rejected or was cut. */
  readonly reason: string | null;
}

interface Draft {
  readonly steps: SessionStep[];
  turn: number;
  readonly open: Map<string, SessionStep>;
  /** The message with the last summary. */
  summary: number | undefined;
}

/** Lists the steps of a session in the order in which they ended. In a session that runs, those without an outcome run too. */
export function describeSteps(
  records: readonly SessionRecord[],
  { isRunning }: { readonly isRunning: boolean },
): readonly SessionStep[] {
  const draft: Draft = { steps: [], turn: 1, open: new Map(), summary: undefined };
  for (const record of records) addRecord(draft, record);
  const open = [...draft.open.values()];
  return [...draft.steps, ...(isRunning ? open.map((step) => ({ ...step, ...RUNNING })) : open)];
}

function addRecord(draft: Draft, record: SessionRecord): void {
  const { turn, open, steps } = draft;
  switch (record.type) {
    case 'llm.requested':
      open.set(`request ${record.child ?? ''}`, { ...stepOf(record.entry, record.at, turn), ...UNKNOWN });
      return;
    case 'llm.settled':
      open.delete(`request ${record.child ?? ''}`);
      steps.push(stepOf(record.entry, record.at, turn));
      return;
    case 'llm.rejected':
      changeLast(steps, { status: 'rejected', reason: record.progress.notice ?? null });
      return;
    case 'tool.started':
      open.set(record.position, {
        ...EMPTY,
        at: record.at,
        turn,
        kind: 'tool',
        name: record.tool,
        ...UNKNOWN,
      });
      return;
    case 'tool.finished': {
      const started = open.get(record.position);
      open.delete(record.position);
      const step = stepOf(record.entry, record.at, turn);
      const { ok, text, dropped } = record.result;
      const reason = step.reason ?? (ok && dropped === undefined ? (readTruncation(text) ?? null) : text);
      steps.push({ ...step, name: started?.name ?? step.name, reason });
      return;
    }
    case 'accounting.added':
      steps.push(stepOf(record.entry, record.at, turn));
      return;
    case 'turn.finished':
    case 'session.finished':
      finishTurn(draft, record);
      return;
    case 'session.resumed':
      keepUnanswered(draft);
      return;
    case 'session.opened':
    case 'session.suspended':
  }
}

/** A request without an answer stays in the list when it is sent again; a call gets its own outcome. */
function keepUnanswered({ open, steps }: Draft): void {
  for (const [key, step] of open) {
    if (step.kind !== 'request') continue;
    steps.push(step);
    open.delete(key);
  }
}

function finishTurn(
  draft: Draft,
  { at, progress }: Extract<SessionRecord, { readonly type: 'turn.finished' | 'session.finished' }>,
): void {
  const { steps, turn } = draft;
  if (progress.compaction !== undefined && progress.compaction.summary !== draft.summary) {
    const reason = 'Older turns were replaced by a summary.';
    steps.push({ ...EMPTY, at, turn, kind: 'compaction', name: 'summary', status: 'ok', reason });
  }
  draft.summary = progress.compaction?.summary;
  changeLast(steps, {
    contextTokens: progress.currentTokens + progress.pendingTokens,
    contextLimit: progress.contextLimit ?? null,
  });
  draft.turn = progress.turn + 1;
}

const EMPTY = {
  agents: null,
  latencyMs: null,
  tokens: null,
  costUsd: null,
  contextTokens: null,
  contextLimit: null,
  droppedTokens: null,
  reason: null,
} as const;

const UNKNOWN = { status: 'unknown', reason: 'The process ended before its outcome was recorded.' } as const;

const RUNNING = { status: 'running', latencyMs: null, reason: null } as const;

function changeLast(steps: SessionStep[], change: Partial<SessionStep>): void {
  // Steps of sub-agents belong to their tool call.
  const at = steps.findLastIndex(({ agents }) => agents === null);
  const step = steps[at];
  if (step !== undefined) steps[at] = { ...step, ...change };
}

function stepOf(entry: AccountingEntry, at: number, turn: number): SessionStep {
  const common = {
    ...EMPTY,
    at,
    turn,
    agents: entry.callPath?.includes('->') === true ? entry.callPath : null,
    status: entry.status,
    latencyMs: entry.latency,
    reason: entry.error ?? null,
  };
  if (entry.type === 'tool')
    return {
      ...common,
      kind: 'tool',
      name: entry.command,
      droppedTokens: entry.droppedTokens ?? null,
    };
  const { inputTokens, outputTokens, cachedTokens, cacheReadInputTokens } = entry.tokens;
  return {
    ...common,
    kind: 'request',
    name: `${entry.actualProvider ?? entry.provider}/${entry.actualModel ?? entry.model}`,
    tokens: { input: inputTokens, output: outputTokens, cached: cachedTokens ?? cacheReadInputTokens ?? 0 },
    costUsd: entry.costUsd ?? null,
  };
}
