import type { ErrorKind, FailureReason } from '../agent-result.ts';
import { compactIfDue } from '../compaction/compact-context.ts';
import { appendPrompt } from './append-prompt.ts';
import { runTurn } from './run-turn.ts';
import { cancellationReason } from './session-signals.ts';
import { isFinalTurn, type SessionScope } from './session-scope.ts';
import { TurnPause } from './turn-pause.ts';
import type { TurnsOutcome } from './turns-outcome.ts';
import { waitingOutcome } from './waiting-outcome.ts';

/** Runs turns until there is a report, a fatal error, or the final turn has run. Never runs more than `maxTurns`. */
export async function runTurns(scope: SessionScope, afterTurn: () => void): Promise<TurnsOutcome> {
  const { state, config, recorder } = scope;
  if (hasSpentEverything(scope)) return withoutReport(scope);
  const pause = new TurnPause();
  while (recorder.hasResponse || state.turn < config.limits.maxTurns) {
    if (scope.abortSignal.aborted) return abortedOutcome(scope);
    if (!recorder.hasResponse) await compactIfDue(scope);
    // The turn of a recorded response has already been counted.
    if (!recorder.hasResponse) state.turn += 1;
    scope.refreshTools();
    scope.emit({ type: 'turn.started', final: isFinalTurn(scope) });
    const outcome = await runTurn(scope);
    if (outcome.kind === 'fatal') {
      const { error, errorKind } = outcome;
      return { reason: outcome.reason ?? fatalReason(errorKind), error, errorKind };
    }
    if (outcome.kind === 'aborted') return abortedOutcome(scope);
    if (outcome.kind === 'waiting') return waitingOutcome(scope);
    state.turnsCompleted += 1;
    const { tokens, costUsd } = scope.ledger;
    scope.emit({ type: 'turn.finished', turns: state.turnsCompleted, tokens, costUsd });
    // The report of the interrupted task does not answer a further one.
    if (outcome.kind === 'report' && state.prompt === undefined) return { report: outcome.report };
    const isNewTask = state.prompt !== undefined;
    appendPrompt(scope);
    recorder.turnFinished(scope);
    if (isNewTask) continue;
    if (scope.abortSignal.aborted) return abortedOutcome(scope);
    if (outcome.kind === 'report' || outcome.finalOnly) break;
    afterTurn();
    if (outcome.kind === 'failed' && outcome.isUnreachable) await pause.wait(scope);
    else pause.reset();
  }
  return withoutReport(scope);
}

/** Returns whether a resumed session has nothing left for another request: each resume would otherwise exceed its caps again. */
function hasSpentEverything({ ports, budget, recorder, state }: SessionScope): boolean {
  const cap = ports.resume === undefined || recorder.hasResponse ? undefined : budget.spentCap();
  if (cap !== undefined) state.forcedFinal = cap.reason;
  return cap !== undefined;
}

function fatalReason(kind: ErrorKind): FailureReason {
  return kind === 'auth' || kind === 'quota' ? kind : 'internal';
}

function abortedOutcome(scope: SessionScope): TurnsOutcome {
  const reason = cancellationReason(scope.abortSignal);
  return reason === 'max_duration'
    ? {
        reason,
        error: `maxDurationMs (${scope.config.limits.maxDurationMs}) was reached.`,
        errorKind: 'session',
      }
    : { reason, error: 'The session was aborted.', errorKind: 'aborted' };
}

function withoutReport({ state, config }: SessionScope): TurnsOutcome {
  const reason =
    state.forcedFinal ?? (state.reportAttempts > 0 ? 'final_report_tool_failed' : 'max_turns_exhausted');
  const { maxTurns, maxCostUsd, maxTotalTokens, maxDurationMs } = config.limits;
  const sentences: Readonly<Partial<Record<FailureReason, string>>> = {
    max_turns_exhausted: `Max turns reached (${maxTurns}) without a final report.`,
    final_report_tool_failed: 'The final report was rejected, and no valid one followed.',
    context: 'The context window is exhausted, and the final turn returned no report.',
    max_cost: `${capName('maxCostUsd', maxCostUsd)} was reached, and the final turn returned no report.`,
    max_tokens: `${capName('maxTotalTokens', maxTotalTokens)} was reached, and the final turn returned no report.`,
    max_duration: `maxDurationMs (${maxDurationMs}) was reached, and the final turn returned no report.`,
    stopped: 'The session was stopped, and the final turn returned no report.',
  };
  const lastFailure = state.lastFailure === undefined ? '' : ` Last failure: ${state.lastFailure}`;
  return { reason, error: `${sentences[reason] ?? reason}${lastFailure}`, errorKind: 'session' };
}

/** Renders a cap. If the session does not set the cap itself, a caller does. */
function capName(name: string, own: number | undefined): string {
  return own === undefined ? `${name} of the caller` : `${name} (${own})`;
}
