import type { Reads } from './commands.ts';

export type SessionDetail = Reads['agent sessions show']['output'];
export type SessionStep = NonNullable<SessionDetail['steps']>[number];

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
      steps: list,
      inputTokens: sum(({ tokens }) => tokens?.input),
      outputTokens: sum(({ tokens }) => tokens?.output),
      costUsd: sum(({ cost_usd }) => cost_usd),
      latencyMs: sum(({ agents, latency_ms }) => (agents === null ? latency_ms : 0)),
      contextTokens: last?.context_tokens ?? null,
      contextLimit: last?.context_limit ?? null,
      contextPercent: percentOf(last?.context_tokens, last?.context_limit),
      problems: list.filter(({ status }) => status !== 'ok').length,
    };
  });
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
  if (status === 'ok') return reason ?? undefined;
  const what = {
    rejected: 'Retried, because the answer was unusable',
    failed: kind === 'request' ? 'The request failed' : 'The call failed',
    unknown: 'Outcome unknown',
  }[status];
  return reason === null ? `${what}.` : `${what}: ${reason}`;
}
