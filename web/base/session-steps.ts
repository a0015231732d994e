import type { Reads } from './commands.ts';

export type SessionDetail = Reads['agent sessions show']['output'];
export type SessionStep = NonNullable<SessionDetail['steps']>[number];

/** How long a session took so far: what it stored last, and the time since then while it runs. */
export function elapsedMs(
  { elapsed_ms: storedMs, status, updated_at: updatedAt }: SessionDetail,
  nowMs: number,
): number {
  return status === 'running' ? storedMs + Math.max(0, nowMs - Date.parse(updatedAt)) : storedMs;
}

/** A turn of a session with its steps, and their sums. */
export interface SessionTurn {
  readonly turn: number;
  readonly steps: readonly SessionStep[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly latencyMs: number;
  readonly contextTokens: number | null;
  /** How many tokens the model accepts. */
  readonly contextLimit: number | null;
  /** How full the context is, as a percentage of what the model accepts. */
  readonly contextPercent: number | null;
  /** Requests that failed or were rejected, and tool calls that failed. */
  readonly problems: number;
}

/** Groups the steps of a session by turn. The time of a sub-agent is part of its tool call, so it is not counted twice. */
export function groupByTurn(steps: readonly SessionStep[]): readonly SessionTurn[] {
  const groups = Map.groupBy(steps, ({ turn }) => turn);
  return [...groups].map(([turn, list]) => {
    const sum = (valueOf: (step: SessionStep) => number | null | undefined): number =>
      list.reduce((total, step) => total + (valueOf(step) ?? 0), 0);
    const last = list.findLast(({ context_tokens }) => context_tokens !== null);
    return {
      turn,
      steps: underTheirCalls(list),
      inputTokens: sum(({ tokens }) => tokens?.input),
      outputTokens: sum(({ tokens }) => tokens?.output),
      costUsd: sum(({ cost_usd }) => cost_usd),
      latencyMs: sum(({ agents, latency_ms }) => (agents === null ? latency_ms : 0)),
      contextTokens: last?.context_tokens ?? null,
      contextLimit: last?.context_limit ?? null,
      contextPercent: percentOf(last?.context_tokens, last?.context_limit),
      problems: list.filter(({ status }) => status !== 'ok' && status !== 'running').length,
    };
  });
}

/** Moves the steps of sub-agents below the call that started them: most ended before it, so they come first. */
function underTheirCalls(steps: readonly SessionStep[]): readonly SessionStep[] {
  const calls = steps.map((step, index) => callOf(step, steps, index));
  const withOwn = (step: SessionStep): readonly SessionStep[] => [
    step,
    ...steps.filter((_, index) => calls[index] === step).flatMap(withOwn),
  ];
  return steps.filter((_, index) => calls[index] === undefined).flatMap(withOwn);
}

/** The call that started the agent of a step. */
function callOf({ agents }: SessionStep, steps: readonly SessionStep[], at: number): SessionStep | undefined {
  if (agents === null) return undefined;
  const parents = agents.split('->');
  const agent = parents.pop();
  const isCall = (step: SessionStep): boolean =>
    step.kind === 'tool' &&
    step.name.replace(/^agent__/u, '') === agent &&
    (step.agents === null ? parents.length === 1 : step.agents === parents.join('->'));
  // A call that runs is listed before what it does now.
  return steps.slice(at + 1).find(isCall) ?? steps.slice(0, at).findLast(isCall);
}

function percentOf(part: number | null | undefined, whole: number | null | undefined): number | null {
  return typeof part === 'number' && typeof whole === 'number' ? Math.round((100 * part) / whole) : null;
}

/** How deep a step is in the tree: 1 for the session itself, more for its sub-agents. */
export function depthOf({ agents }: SessionStep): number {
  return agents === null ? 1 : agents.split('->').length;
}

/** Why a step was retried, cut or failed; undefined where there is nothing to say. */
export function explainStep({ status, reason, dropped_tokens, kind }: SessionStep): string | undefined {
  if (dropped_tokens !== null)
    return `The output of about ${dropped_tokens} tokens did not fit into the context; the model got a short note instead.`;
  if (status === 'ok' || status === 'running') return reason ?? undefined;
  const what = {
    rejected: 'Retried, because the answer was unusable',
    failed: kind === 'request' ? 'The request failed' : 'The call failed',
    unknown: 'Outcome unknown',
  }[status];
  return reason === null ? `${what}.` : `${what}: ${reason}`;
}
