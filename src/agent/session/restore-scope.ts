import { ownMember } from '../../base/own-member.ts';
import type { AccountingEntry } from '../accounting-entry.ts';
import type { FailureReason } from '../agent-result.ts';
import type { GivenApprovals } from '../approval/approval-request.ts';
import { withAttachments } from '../conversation.ts';
import type { GivenAnswer } from '../questions/tool-question.ts';
import type { SessionPorts } from '../session-ports.ts';
import { NO_PROGRESS, type StoredSession } from '../stored-session/restore-session.ts';
import { appendPrompt } from './append-prompt.ts';
import { limitsOf } from './session-progress.ts';
import type { SessionScope } from './session-scope.ts';
import type { SessionState } from './session-state.ts';

/** Reasons that are checked again with the limits of the resumed session. */
const CHECKED_AGAIN: ReadonlySet<FailureReason> = new Set([
  'max_cost',
  'max_tokens',
  'max_duration',
  'stopped',
]);

/** Returns the state that a session starts with. */
export function initialState(
  saved: StoredSession | undefined,
  {
    prompt = saved?.prompt,
    attachments = saved?.attachments ?? [],
    approvals,
  }: Pick<SessionPorts, 'prompt' | 'attachments' | 'approvals'>,
): SessionState {
  const { turn, forcedFinal, ...progress } = saved?.progress ?? NO_PROGRESS;
  const isRechecked = forcedFinal !== undefined && CHECKED_AGAIN.has(forcedFinal);
  return {
    turn: saved?.answer?.turn ?? turn,
    turnsCompleted: progress.turnsCompleted,
    forcedFinal: isRechecked ? undefined : forcedFinal,
    toolBudgetExceeded: progress.toolBudgetExceeded,
    approvals: [],
    answers: saved === undefined ? [] : knownAnswers(saved, approvals),
    compaction: progress.compaction,
    compactionFailed: false,
    reportAttempts: progress.reportAttempts,
    lastStopReason: progress.lastStopReason,
    lastFailure: undefined,
    lastText: progress.lastText,
    prompt,
    attachments,
    notice: progress.notice,
    notFound: new Set(),
  };
}

/** Returns the answers to questions of the calls that wait: the answers of this call, and the stored answers to earlier questions of the same calls. */
function knownAnswers(
  { approvals, answers }: StoredSession,
  given: GivenApprovals | undefined,
): readonly GivenAnswer[] {
  const isDenied = (call: string): boolean =>
    given?.deny.some((each) => each === call || each === 'all') === true;
  const now = approvals.flatMap(({ call, question }): GivenAnswer[] => {
    if (question === undefined) return [];
    const content = ownMember(given?.answers, call);
    if (content !== undefined) return [{ call, ...question, content }];
    return isDenied(call) ? [{ call, ...question }] : [];
  });
  return [...answers, ...now];
}

/** Continues a session where its records end, and records that it does. */
export function restoreScope(scope: SessionScope, saved: StoredSession): void {
  const { ledger, budget, contextGuard, recorder, state } = scope;
  ledger.restore(saved.accounting, scope.ids.txnId);
  const { currentTokens, pendingTokens } = saved.progress;
  contextGuard.restore({ currentTokens, unsettledTokens: pendingTokens });
  // The provider may have charged for a request whose response was lost, so it counts; it is sent again.
  const entries: readonly AccountingEntry[] = saved.inFlight;
  for (const entry of entries) ledger.add(entry);
  budget.restore({ costUsd: ledger.costUsd, tokens: ledger.tokens });
  recorder.resumed({
    entries,
    limits: limitsOf(scope.config),
    ...(state.prompt !== undefined && { prompt: state.prompt, ...withAttachments(state.attachments) }),
  });
  if (!recorder.hasResponse) appendPrompt(scope);
}
