import { errorMessage } from '../../base/error-message.ts';
import type { AccountingEntry, LlmAccountingEntry } from '../accounting-entry.ts';
import type { AIAgentResult } from '../agent-result.ts';
import type { Message } from '../conversation.ts';
import type { LlmResponse } from '../llm-port.ts';
import type { SessionJournal } from '../session-journal.ts';
import type {
  Checkpoint,
  RecordedAnswer,
  RecordedResult,
  SessionProgress,
  SessionRecordBody,
  SessionResumed,
  SessionTotals,
} from '../session-record.ts';
import type { RecordedCall, SavedSession } from '../stored-session/saved-session.ts';
import type { RequestedCall } from '../transport/transport.ts';
import type { ContextGuard } from '../context/context-guard.ts';
import type { Ledger } from '../accounting/ledger.ts';
import type { SessionTransport } from '../transport/transport.ts';
import type { SessionState } from './session-state.ts';

/** The part of a session that its recorder reads. */
interface Recorded {
  readonly conversation: readonly Message[];
  readonly state: SessionState;
  readonly guard: ContextGuard;
  readonly transport: SessionTransport;
  readonly ledger: Ledger;
}

/**
 * Records the steps of a session in its journal, and gives a resumed session back what was recorded: the answer that was not
 * processed completely, and the results of its tool calls. Without a journal it does nothing.
 */
export class SessionRecorder {
  readonly #journal: SessionJournal | undefined;
  readonly #warn: (message: string) => void;
  #isBroken = false;
  #messages: number;
  #entries: AccountingEntry[] = [];
  #answer: RecordedAnswer | undefined;
  #calls: ReadonlyMap<string, RecordedCall>;
  #attempts: number;
  #isAnswerOpen: boolean;
  #isMasked = false;
  #isRecordedAnswer = false;

  constructor(
    journal: SessionJournal | undefined,
    saved: SavedSession | undefined,
    warn: (message: string) => void,
  ) {
    this.#journal = journal;
    this.#warn = warn;
    this.#messages = saved?.conversation.length ?? 0;
    this.#answer = saved?.answer;
    this.#isAnswerOpen = saved?.answer !== undefined;
    this.#calls = saved?.calls ?? new Map();
    this.#attempts = saved?.attempts ?? 0;
  }

  get hasAnswer(): boolean {
    return this.#answer !== undefined;
  }

  /** Whether an answer of the model is not processed completely. */
  get isAnswerOpen(): boolean {
    return this.#isAnswerOpen;
  }

  /** Whether the answer that is processed comes from the journal. */
  get isRecordedAnswer(): boolean {
    return this.#isRecordedAnswer;
  }

  /** Whether secrets are missing in the answer that is processed, because it was stored. */
  get isMasked(): boolean {
    return this.#isMasked;
  }

  /** Returns the recorded answer once. */
  takeAnswer(): RecordedAnswer | undefined {
    const answer = this.#answer;
    this.#answer = undefined;
    this.#isMasked = answer?.masked === true;
    this.#isRecordedAnswer = answer !== undefined;
    return answer;
  }

  /** Returns the failed attempts of the unfinished turn once. */
  takeAttempts(): number {
    const attempts = this.#attempts;
    this.#attempts = 0;
    return attempts;
  }

  /** Returns what is known of a tool call of the recorded answer. */
  recordedCall({ position }: RequestedCall): RecordedCall | undefined {
    return position === undefined ? undefined : this.#calls.get(position);
  }

  opened(origin: { id: string; nonce: string; head: unknown }, { conversation, guard }: Recorded): void {
    if (this.#journal === undefined) return;
    this.#messages = conversation.length;
    const messages = [...conversation];
    const pendingTokens = guard.unsettledTokens;
    this.#append({ type: 'session.opened', version: 1, ...origin, messages, pendingTokens });
  }

  resumed(record: Omit<SessionResumed, 'type'>): void {
    this.#append({ type: 'session.resumed', ...record });
  }

  requested(entry: LlmAccountingEntry): void {
    this.#append({ type: 'llm.requested', entry });
  }

  /** Records a request whose answer is not processed. */
  settled(entry: LlmAccountingEntry): void {
    this.#append({ type: 'llm.settled', entry });
  }

  answered(entry: LlmAccountingEntry, response: LlmResponse, scope: Recorded, finalOnly: boolean): void {
    if (this.#journal === undefined) return;
    this.#calls = new Map();
    this.#isMasked = false;
    this.#isRecordedAnswer = false;
    this.#isAnswerOpen = true;
    const { turn } = scope.state;
    const { schemaTokens } = scope.guard;
    const slot = scope.transport.slot();
    this.#append({
      type: 'llm.settled',
      entry,
      answer: { turn, finalOnly, response, schemaTokens, slot },
    });
  }

  rejected(scope: Recorded): void {
    this.#isAnswerOpen = false;
    this.#append({ type: 'llm.rejected', entries: this.#takeEntries(), progress: progressOf(scope) });
  }

  /** Records a call before it starts; one that must not be repeated also survives a power loss. */
  callStarted({ position, name, arguments: args }: RequestedCall, isRepeatable: boolean): void {
    if (position === undefined) return;
    this.#append({ type: 'tool.started', position, tool: name, arguments: args }, !isRepeatable);
  }

  callFinished({ position }: RequestedCall, result: RecordedResult, entry: AccountingEntry): void {
    if (position === undefined) return;
    this.#append({ type: 'tool.finished', position, result, entry });
  }

  /** Keeps an entry for the next checkpoint. */
  note(entry: AccountingEntry): void {
    if (this.#journal !== undefined) this.#entries.push(entry);
  }

  turnFinished(scope: Recorded): void {
    if (this.#journal === undefined) return;
    this.#isAnswerOpen = false;
    this.#append({ type: 'turn.finished', ...this.#checkpoint(scope) });
  }

  finished(scope: Recorded, { success, error, errorKind, finalReport, approvals }: AIAgentResult): void {
    if (this.#journal === undefined) return;
    const result = {
      success,
      ...(error !== undefined && { error }),
      ...(errorKind !== undefined && { errorKind }),
      finalReport,
    };
    if (approvals !== undefined) {
      this.#append({ type: 'session.suspended', approvals, result, totals: totalsOf(scope) }, true);
      return;
    }
    // After an internal error in the middle of an answer, a resumed session processes the answer again.
    if (this.#isAnswerOpen && !success) return;
    this.#append({ type: 'session.finished', ...this.#checkpoint(scope), result }, true);
  }

  /** Stops recording: a session with a step that is not recorded must never be resumed. */
  abandon(problem: string): void {
    this.#isBroken = true;
    let remedy = '';
    try {
      this.#journal?.abandon();
    } catch (error) {
      remedy = ` Do not resume it: ${String(error)}`;
    }
    this.#warn(`The session is not recorded and cannot be resumed: ${problem}${remedy}`);
  }

  close(): void {
    this.#journal?.close();
  }

  #checkpoint(scope: Recorded): Checkpoint {
    const messages = scope.conversation.slice(this.#messages);
    this.#messages = scope.conversation.length;
    return {
      messages,
      entries: this.#takeEntries(),
      progress: progressOf(scope),
      totals: totalsOf(scope),
    };
  }

  #takeEntries(): readonly AccountingEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  #append(record: SessionRecordBody, durable = false): void {
    if (this.#journal === undefined || this.#isBroken) return;
    try {
      this.#journal.append(record, { durable });
    } catch (error) {
      this.abandon(errorMessage(error));
    }
  }
}

function progressOf({ state, guard, transport }: Recorded): SessionProgress {
  const { forcedFinal, lastStopReason, lastText, notice, compaction } = state;
  return {
    turn: state.turn,
    turnsCompleted: state.turnsCompleted,
    toolBudgetExceeded: state.toolBudgetExceeded,
    reportAttempts: state.reportAttempts,
    currentTokens: guard.currentTokens,
    pendingTokens: guard.unsettledTokens,
    slot: transport.slot(),
    ...(forcedFinal !== undefined && { forcedFinal }),
    ...(lastStopReason !== undefined && { lastStopReason }),
    ...(lastText !== undefined && { lastText }),
    ...(notice !== undefined && { notice }),
    ...(compaction !== undefined && { compaction }),
  };
}

function totalsOf({ state, ledger }: Recorded): SessionTotals {
  return { turns: state.turnsCompleted, tokens: ledger.tokens, costUsd: ledger.costUsd };
}
