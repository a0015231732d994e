import * as v from 'valibot';
import { sha256 } from '../../system/digest.ts';
import { int, number } from '../../base/schema.ts';
import type { SessionRecord } from '../session-record.ts';

const count = () => v.pipe(number(), v.minValue(0));

const attachments = v.optional(
  v.array(v.looseObject({ mediaType: v.string(), data: v.string(), name: v.optional(v.string()) })),
);

const message = v.looseObject({
  role: v.picklist(['system', 'user', 'assistant', 'tool']),
  content: v.string(),
  attachments,
  toolCalls: v.optional(v.array(v.looseObject({ id: v.string(), name: v.string(), arguments: v.string() }))),
});

const entry = v.variant('type', [
  v.looseObject({
    type: v.literal('llm'),
    costUsd: v.optional(count()),
    tokens: v.looseObject({ inputTokens: count(), outputTokens: count(), totalTokens: count() }),
  }),
  v.looseObject({ type: v.literal('tool'), command: v.string() }),
]);

const progress = v.looseObject({
  turn: int(),
  turnsCompleted: int(),
  toolBudgetExceeded: v.boolean(),
  reportAttempts: int(),
  currentTokens: count(),
  pendingTokens: count(),
  slot: int(),
  compaction: v.optional(v.looseObject({ head: int(), from: int(), summary: int() })),
});

const checkpoint = {
  messages: v.array(message),
  entries: v.array(entry),
  progress,
  totals: v.looseObject({ turns: int(), tokens: count(), costUsd: count() }),
};

const answer = v.looseObject({
  turn: int(),
  finalOnly: v.boolean(),
  schemaTokens: count(),
  slot: int(),
  response: v.looseObject({
    ok: v.literal(true),
    text: v.string(),
    reasoning: v.string(),
    toolCalls: v.array(v.looseObject({ id: v.string(), name: v.string(), arguments: v.string() })),
  }),
});

const question = v.looseObject({ message: v.string(), schema: v.looseObject({}) });

const finalReport = v.looseObject({ status: v.picklist(['success', 'failure']), format: v.string() });

const limits = v.optional(
  v.looseObject({
    maxTurns: int(),
    maxTotalTokens: v.optional(count()),
    maxCostUsd: v.optional(count()),
    maxDurationMs: v.optional(count()),
  }),
);

/** What a reader of a session's records relies on. */
const RECORD = v.variant('type', [
  v.looseObject({
    type: v.literal('session.suspended'),
    at: count(),
    approvals: v.array(
      v.looseObject({
        call: v.string(),
        tool: v.string(),
        arguments: v.string(),
        question: v.optional(question),
      }),
    ),
    answers: v.optional(v.array(v.looseObject({ call: v.string(), ...question.entries }))),
    result: v.looseObject({ success: v.literal(false), finalReport }),
    totals: checkpoint.totals,
  }),
  v.looseObject({
    type: v.literal('session.opened'),
    at: count(),
    version: v.literal(1),
    id: v.string(),
    nonce: v.string(),
    messages: v.array(message),
    pendingTokens: count(),
    limits,
  }),
  v.looseObject({
    type: v.literal('session.resumed'),
    at: count(),
    entries: v.array(entry),
    prompt: v.optional(v.string()),
    attachments,
    limits,
  }),
  v.looseObject({ type: v.literal('llm.requested'), at: count(), entry, turn: v.optional(int()) }),
  v.looseObject({ type: v.literal('llm.settled'), at: count(), entry, answer: v.optional(answer) }),
  v.looseObject({ type: v.literal('llm.rejected'), at: count(), entries: v.array(entry), progress }),
  v.looseObject({
    type: v.literal('tool.started'),
    at: count(),
    position: v.string(),
    tool: v.string(),
    arguments: v.string(),
  }),
  v.looseObject({
    type: v.literal('tool.finished'),
    at: count(),
    position: v.string(),
    entry,
    result: v.looseObject({ ok: v.boolean(), text: v.string(), images: attachments, latencyMs: count() }),
  }),
  v.looseObject({ type: v.literal('accounting.added'), at: count(), entry }),
  v.looseObject({ type: v.literal('turn.finished'), at: count(), ...checkpoint }),
  v.looseObject({
    type: v.literal('session.finished'),
    at: count(),
    ...checkpoint,
    result: v.looseObject({ success: v.boolean(), finalReport }),
  }),
]);

/** Parses one line of a session file; lines of earlier versions have no checksum. Throws an Error with the reason if the line is invalid. */
export function parseRecord(line: string): SessionRecord {
  const { sha256: checksum, ...record } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  if (checksum !== undefined && checksum !== sha256(JSON.stringify(record)))
    throw new Error('it does not match its checksum');
  const result = v.safeParse(RECORD, record);
  if (result.success) return record as unknown as SessionRecord;
  throw new Error(`"${v.getDotPath(result.issues[0]) ?? 'type'}" is missing or invalid`);
}
