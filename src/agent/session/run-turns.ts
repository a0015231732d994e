import type { ErrorKind, FailureReason, FinalReport } from '../agent-result.ts';
import { runTurn } from './run-turn.ts';
import { endReason } from './session-ends.ts';
import { isFinalTurn, type SessionScope } from './session-scope.ts';

/** How the turns ended: with a report, or with the reason why there is none. */
export type TurnsEnd =
  | { readonly report: FinalReport }
  | { readonly reason: FailureReason; readonly error: string; readonly errorKind: ErrorKind };

/** Runs turns until there is a report, until nothing can help, or until the last turn is over. Never more than `maxTurns`. */
export async function runTurns(scope: SessionScope, afterTurn: () => void): Promise<TurnsEnd> {
  const { state, config } = scope;
  while (state.turn < config.limits.maxTurns) {
    if (scope.hardEnd.aborted) return abortedEnd(scope);
    state.turn += 1;
    scope.tell({ type: 'turn.started', final: isFinalTurn(scope) });
    const end = await runTurn(scope);
    if (end.kind === 'fatal') return { reason: fatalReason(end.errorKind), ...end };
    if (end.kind === 'aborted') return abortedEnd(scope);
    state.turnsCompleted += 1;
    if (end.kind === 'report') return { report: end.report };
    if (scope.hardEnd.aborted) return abortedEnd(scope);
    if (end.finalOnly) break;
    afterTurn();
  }
  return withoutReport(scope);
}

function fatalReason(kind: ErrorKind): FailureReason {
  return kind === 'auth' || kind === 'quota' ? kind : 'internal';
}

function abortedEnd(scope: SessionScope): TurnsEnd {
  const reason = endReason(scope.hardEnd);
  return reason === 'max_duration'
    ? {
        reason,
        error: `maxDurationMs (${scope.config.limits.maxDurationMs}) was reached.`,
        errorKind: 'session',
      }
    : { reason, error: 'The session was aborted.', errorKind: 'aborted' };
}

function withoutReport({ state, config }: SessionScope): TurnsEnd {
  const reason =
    state.forcedFinal ?? (state.reportAttempts > 0 ? 'final_report_tool_failed' : 'max_turns_exhausted');
  const { maxTurns, maxCostUsd, maxTotalTokens, maxDurationMs } = config.limits;
  const sentences: Readonly<Partial<Record<FailureReason, string>>> = {
    max_turns_exhausted: `Max turns reached (${maxTurns}) without a final report.`,
    final_report_tool_failed: 'The final report was rejected and not given again in a valid form.',
    context: 'The context window is exhausted, and the final turn gave no report.',
    max_cost: `${capName('maxCostUsd', maxCostUsd)} was reached, and the final turn gave no report.`,
    max_tokens: `${capName('maxTotalTokens', maxTotalTokens)} was reached, and the final turn gave no report.`,
    max_duration: `maxDurationMs (${maxDurationMs}) was reached, and the final turn gave no report.`,
    stopped: 'The session was stopped, and the final turn gave no report.',
  };
  const lastFailure = state.lastFailure === undefined ? '' : ` The last failure: ${state.lastFailure}`;
  return { reason, error: `${sentences[reason] ?? reason}${lastFailure}`, errorKind: 'session' };
}

/** A cap that is not the session's own is one of its callers'. */
function capName(name: string, own: number | undefined): string {
  return own === undefined ? `${name} of the caller` : `${name} (${own})`;
}
