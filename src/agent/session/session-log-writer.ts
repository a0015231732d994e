import { errorMessage } from '../../base/error-message.ts';
import type { AccountingEntry, LlmAccountingEntry } from '../accounting-entry.ts';
import type { AIAgentResult } from '../agent-result.ts';
import type { LlmResponse } from '../llm-port.ts';
import type { SessionLog } from '../session-log.ts';
import type {
  Checkpoint,
  RecordedResponse,
  RecordedResult,
  SessionRecordBody,
  SessionResumed,
} from '../session-record.ts';
import type { RecordedCall, StoredSession } from '../stored-session/restore-session.ts';
import type { RequestedCall } from '../transport/transport.ts';
import { limitsOf, progressOf, totalsOf, type RecordedProgress } from './session-progress.ts';

/**
 * Records the steps of a session in its log, and returns the recorded steps to a resumed session: the response that was not
 * processed completely, and the results of its tool calls. Without a log it does nothing.
 */
export class SessionLogWriter {
  readonly #log: SessionLog | undefined;
  readonly #warn: (message: string) => void;
  #isBroken = false;
  #messages: number;
  #entries: AccountingEntry[] = [];
  #response: RecordedResponse | undefined;
  #calls: ReadonlyMap<string, RecordedCall>;
  #attempts: number;
  #isResponseOpen: boolean;
  #isMasked = false;
  #isRecordedResponse = false;

  constructor(
    sessionLog: SessionLog | undefined,
    saved: StoredSession | undefined,
    warn: (message: string) => void,
  ) {
    this.#log = sessionLog;
    this.#warn = warn;
    this.#messages = saved?.conversation.length ?? 0;
    this.#response = saved?.answer;
    this.#isResponseOpen = saved?.answer !== undefined;
    this.#calls = saved?.calls ?? new Map();
    this.#attempts = saved?.attempts ?? 0;
  }

  get hasResponse(): boolean {
    return this.#response !== undefined;
  }

  /** Whether a response of the model is not processed completely. */
  get isResponseOpen(): boolean {
    return this.#isResponseOpen;
  }

  /** Whether the response that is processed comes from the log. */
  get isRecordedResponse(): boolean {
    return this.#isRecordedResponse;
  }

  /** Whether secrets are missing in the response that is processed, because it was stored. */
  get isMasked(): boolean {
    return this.#isMasked;
  }

  /** Returns the recorded response once. */
  takeResponse(): RecordedResponse | undefined {
    const response = this.#response;
    this.#response = undefined;
    this.#isMasked = response?.masked === true;
    this.#isRecordedResponse = response !== undefined;
    return response;
  }

  /** Returns the failed attempts of the unfinished turn once. */
  takeAttempts(): number {
    const attempts = this.#attempts;
    this.#attempts = 0;
    return attempts;
  }

  /** Returns the recorded state of a tool call of the recorded response. */
  recordedCall({ position }: RequestedCall): RecordedCall | undefined {
    return position === undefined ? undefined : this.#calls.get(position);
  }

  opened(
    origin: { id: string; nonce: string; head: unknown },
    { conversation, contextGuard, config }: RecordedProgress,
  ): void {
    if (this.#log === undefined) return;
    this.#messages = conversation.length;
    const messages = [...conversation];
    const pendingTokens = contextGuard.unsettledTokens;
    const limits = limitsOf(config);
    this.#append({ type: 'session.opened', version: 1, ...origin, messages, pendingTokens, limits });
  }

  resumed(record: Omit<SessionResumed, 'type'>): void {
    this.#append({ type: 'session.resumed', ...record });
  }

  /** Records a request before it is sent; one of a tool server has its own id, and the turn that it counts as. */
  requested(
    entry: LlmAccountingEntry,
    { child, turn }: { readonly child?: string | undefined; readonly turn?: number | undefined } = {},
  ): void {
    this.#append({
      type: 'llm.requested',
      entry,
      ...(child !== undefined && { child }),
      ...(turn !== undefined && { turn }),
    });
  }

  /** Records a request whose response is not processed. */
  settled(entry: LlmAccountingEntry, child?: string): void {
    this.#append({ type: 'llm.settled', entry, ...(child !== undefined && { child }) });
  }

  responded(
    entry: LlmAccountingEntry,
    response: LlmResponse,
    scope: RecordedProgress,
    finalOnly: boolean,
  ): void {
    if (this.#log === undefined) return;
    this.#calls = new Map();
    this.#isMasked = false;
    this.#isRecordedResponse = false;
    this.#isResponseOpen = true;
    const { turn } = scope.state;
    const { schemaTokens } = scope.contextGuard;
    const slot = scope.transport.slot();
    this.#append({
      type: 'llm.settled',
      entry,
      answer: { turn, finalOnly, response, schemaTokens, slot },
    });
  }

  rejected(scope: RecordedProgress): void {
    this.#isResponseOpen = false;
    this.#append({ type: 'llm.rejected', entries: this.#takeEntries(), progress: progressOf(scope) });
  }

  /** Records a call before it starts. The record of a call that must not be repeated also survives a power loss. */
  callStarted({ position, name, arguments: args }: RequestedCall, isRepeatable: boolean): void {
    if (position === undefined) return;
    this.#append({ type: 'tool.started', position, tool: name, arguments: args }, !isRepeatable);
  }

  callFinished({ position }: RequestedCall, result: RecordedResult, entry: AccountingEntry): void {
    if (position === undefined) return;
    this.#append({ type: 'tool.finished', position, result, entry });
  }

  /** Records a call that waits for an answer: it was executed, and is executed again when the session continues. */
  callWaits(entry: AccountingEntry): void {
    this.#append({ type: 'accounting.added', entry });
  }

  /** Keeps an entry for the next checkpoint. */
  note(entry: AccountingEntry): void {
    if (this.#log !== undefined) this.#entries.push(entry);
  }

  turnFinished(scope: RecordedProgress): void {
    if (this.#log === undefined) return;
    this.#isResponseOpen = false;
    this.#append({ type: 'turn.finished', ...this.#checkpoint(scope) });
  }

  finished(
    scope: RecordedProgress,
    { success, error, errorKind, finalReport, approvals }: AIAgentResult,
  ): void {
    if (this.#log === undefined) return;
    const result = {
      success,
      ...(error !== undefined && { error }),
      ...(errorKind !== undefined && { errorKind }),
      finalReport,
    };
    if (approvals !== undefined) {
      const { answers } = scope.state;
      const totals = totalsOf(scope);
      this.#append({ type: 'session.suspended', approvals, answers, result, totals }, true);
      return;
    }
    // After an internal error in the middle of a response, a resumed session processes the response again.
    if (this.#isResponseOpen && !success) return;
    this.#append({ type: 'session.finished', ...this.#checkpoint(scope), result }, true);
  }

  /** Stops recording: a session with a step that is not recorded must never be resumed. */
  abandon(problem: string): void {
    this.#isBroken = true;
    let remedy = '';
    try {
      this.#log?.abandon();
    } catch (error) {
      remedy = ` Do not resume it: ${String(error)}`;
    }
    this.#warn(`The session is not recorded and cannot be resumed: ${problem}${remedy}`);
  }

  close(): void {
    this.#log?.close();
  }

  #checkpoint(scope: RecordedProgress): Checkpoint {
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
    if (this.#log === undefined || this.#isBroken) return;
    try {
      this.#log.append(record, { durable });
    } catch (error) {
      this.abandon(errorMessage(error));
    }
  }
}
