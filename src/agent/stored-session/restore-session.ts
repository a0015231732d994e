import type { AccountingEntry } from '../accounting-entry.ts';
import type { WaitingCall } from '../approval/approval-request.ts';
import type { Attachment, Message } from '../conversation.ts';
import type { GivenAnswer } from '../questions/tool-question.ts';
import type {
  RecordedResponse,
  RecordedResult,
  SessionProgress,
  SessionRecord,
  StoredLimits,
  StoredResult,
} from '../session-record.ts';

/** A session as its records describe it. */
export interface StoredSession {
  readonly id: string;
  readonly nonce: string;
  readonly head: unknown;
  readonly forkedFrom?: string;
  /** The limits of its last process. */
  readonly limits?: StoredLimits;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The time that its processes ran, up to the last record of each. */
  readonly elapsedMs: number;
  readonly conversation: readonly Message[];
  readonly accounting: readonly AccountingEntry[];
  readonly progress: SessionProgress;
  /** Failed attempts of the unfinished turn. */
  readonly attempts: number;
  /** A response that was not processed completely. */
  readonly answer?: RecordedResponse;
  /** The tool calls of that response by position: started, and their results. */
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** Estimated entries of requests whose outcome is unknown. */
  readonly inFlight: readonly AccountingEntry[];
  /** A task of the user that the conversation does not contain yet. */
  readonly prompt?: string;
  /** The files of that task. */
  readonly attachments?: readonly Attachment[];
  /** Tool calls that wait for a person. */
  readonly approvals: readonly WaitingCall[];
  /** Answers to earlier questions of these calls. */
  readonly answers: readonly GivenAnswer[];
  readonly result?: StoredResult;
}

export interface RecordedCall {
  readonly tool: string;
  readonly arguments: string;
  readonly startedAt: number;
  /** Absent while the outcome is unknown. */
  readonly result?: RecordedResult;
}

/** The progress of a session before its first turn. */
export const NO_PROGRESS: SessionProgress = {
  turn: 0,
  turnsCompleted: 0,
  toolBudgetExceeded: false,
  reportAttempts: 0,
  currentTokens: 0,
  pendingTokens: 0,
  slot: 1,
};

type Draft = { -readonly [K in keyof StoredSession]: StoredSession[K] } & {
  readonly conversation: Message[];
  readonly accounting: AccountingEntry[];
  readonly calls: Map<string, RecordedCall>;
  readonly requests: Map<string, AccountingEntry>;
};

/** Restores a session from its records. The first one must be `session.opened`. */
export function restoreSession(records: readonly SessionRecord[]): StoredSession {
  const [first] = records;
  if (first?.type !== 'session.opened') throw new Error('the first record is not session.opened');
  const draft: Draft = {
    id: first.id,
    nonce: first.nonce,
    head: first.head,
    ...(first.forkedFrom !== undefined && { forkedFrom: first.forkedFrom }),
    ...(first.limits !== undefined && { limits: first.limits }),
    createdAt: first.at,
    updatedAt: first.at,
    elapsedMs: 0,
    conversation: [...first.messages],
    accounting: [],
    progress: { ...NO_PROGRESS, pendingTokens: first.pendingTokens },
    attempts: 0,
    calls: new Map(),
    approvals: [],
    answers: [],
    inFlight: [],
    requests: new Map(),
  };
  for (const record of records.slice(1)) {
    // The time between the end of a process and the next resume is not counted.
    if (record.type !== 'session.resumed') draft.elapsedMs += Math.max(0, record.at - draft.updatedAt);
    draft.updatedAt = record.at;
    applyRecord(draft, record);
  }
  const { requests, ...session } = draft;
  return { ...session, inFlight: [...requests.values()] };
}

function applyRecord(draft: Draft, record: SessionRecord): void {
  switch (record.type) {
    case 'session.opened':
      return;
    case 'session.resumed':
      draft.accounting.push(...record.entries);
      draft.requests.clear();
      delete draft.result;
      draft.approvals = [];
      if (record.prompt !== undefined) draft.prompt = record.prompt;
      if (record.limits !== undefined) draft.limits = record.limits;
      if (record.attachments !== undefined) draft.attachments = record.attachments;
      return;
    case 'llm.requested':
      draft.requests.set(record.child ?? '', record.entry);
      if (record.turn !== undefined) countTurn(draft, record.turn);
      return;
    case 'llm.settled':
      draft.requests.delete(record.child ?? '');
      draft.accounting.push(record.entry);
      if (record.child !== undefined) return;
      draft.calls.clear();
      if (record.answer === undefined) draft.attempts += 1;
      else draft.answer = record.answer;
      return;
    case 'llm.rejected':
      endResponse(draft, record);
      draft.attempts += 1;
      return;
    case 'tool.started':
      draft.calls.set(record.position, { ...record, startedAt: record.at });
      return;
    case 'tool.finished':
      draft.accounting.push(record.entry);
      draft.calls.set(record.position, {
        ...(draft.calls.get(record.position) ?? { tool: '', arguments: '', startedAt: record.at }),
        result: record.result,
      });
      return;
    case 'accounting.added':
      draft.accounting.push(record.entry);
      return;
    case 'turn.finished':
      finishTurn(draft, record);
      return;
    case 'session.suspended':
      draft.approvals = record.approvals;
      draft.answers = record.answers ?? [];
      // A call that waits for an answer is run again.
      for (const { call, question } of record.approvals) if (question !== undefined) draft.calls.delete(call);
      draft.result = record.result;
      return;
    case 'session.finished':
      finishTurn(draft, record);
      draft.result = record.result;
  }
}

/** Counts a request of a tool server, which is a turn in the middle of another one. */
function countTurn(draft: Draft, turn: number): void {
  const current = draft.answer?.turn ?? draft.progress.turn;
  if (turn <= current) return;
  const turnsCompleted = draft.progress.turnsCompleted + turn - current;
  draft.progress = { ...draft.progress, turn, turnsCompleted };
  if (draft.answer !== undefined) draft.answer = { ...draft.answer, turn };
}

type Closing = Extract<SessionRecord, { type: 'turn.finished' | 'session.finished' | 'llm.rejected' }>;

function endResponse(draft: Draft, { entries, progress }: Pick<Closing, 'entries' | 'progress'>): void {
  draft.accounting.push(...entries);
  draft.progress = progress;
  delete draft.answer;
  draft.calls.clear();
}

function finishTurn(
  draft: Draft,
  record: Extract<Closing, { type: 'turn.finished' | 'session.finished' }>,
): void {
  endResponse(draft, record);
  draft.conversation.push(...record.messages);
  draft.attempts = 0;
  draft.answers = [];
  delete draft.prompt;
  delete draft.attachments;
}
