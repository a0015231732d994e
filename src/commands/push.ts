import * as z from '../base/schema/schema.ts';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { STORE_LIMITS } from '../continuity/store-limits.ts';
import { MEMORY_KINDS, MEMORY_SCOPES, VALUE_TYPES } from '../continuity/memory/memory.ts';
import { applyPush, type Push } from '../continuity/push/apply-push.ts';
import { requireTask, TASK_STATUSES } from '../continuity/tasks/task.ts';
import type { ParametersOf } from '../contract/described-command.ts';
import type { FileFacts } from '../continuity/scope.ts';
import { defineJournalWrite } from './continuity/define-journal-write.ts';
import { readMemory } from './continuity/read-memory.ts';
import { messageText, pathText, shortText, titleText } from './continuity/text-parameters.ts';

const memoryPart = z.later(() =>
  oneOrMore(
    z.strictObject({
      key: shortText,
      value: z.unknown(),
      value_type: z.optional(z.enum(VALUE_TYPES)),
      scope: z.optional(z.enum(MEMORY_SCOPES)),
      scope_id: z.optional(shortText),
      kind: z.optional(z.enum(MEMORY_KINDS)),
      pinned: z.optional(z.boolean()),
      expires_in: z.optional(z.string()),
      expires_at: z.optional(z.string()),
    }),
  ),
);

const artifactPart = z.later(() =>
  oneOrMore(z.strictObject({ file_path: pathText, content_type: z.optional(shortText) })),
);

const statusPart = z.later(() =>
  z.strictObject({
    status: z.enum(TASK_STATUSES),
    summary: z.optional(messageText),
    label: z.optional(shortText),
    blocked_reason: z.optional(titleText),
  }),
);

/** One or several, so that a single one needs no brackets. */
function oneOrMore<T extends z.core.$ZodType>(item: T) {
  return z.union([z.array(item).check(z.maxLength(STORE_LIMITS.pushParts)), item]);
}

const params = {
  task_id: z.described(z.optional(shortText), 'The task it is about; artifacts and task_status need one'),
  event: z.described(
    z.optional(
      z.strictObject({
        kind: shortText,
        message: messageText,
        metadata: z.optional(z.record(z.string(), z.unknown())),
      }),
    ),
    'What happened: {"kind":"progress","message":"…","metadata":{…}}',
  ),
  memories: z.described(
    memoryPart,
    'What to remember: [{"key":"…","value":"…","scope":"task","scope_id":"…"}]',
  ),
  artifacts: z.described(artifactPart, 'Files that were made: [{"file_path":"…"}]'),
  task_status: z.described(statusPart, 'The new status of the task: {"status":"completed","summary":"…"}'),
};

export default defineJournalWrite({
  path: 'push',
  summary: 'Record event, memories, artifacts and status of a task in one write',
  params,
  output: () => ({
    event_id: z.optional(z.int()),
    kind: z.optional(z.string()),
    memories: z.optional(z.array(z.object({ key: z.string(), event_id: z.int() }))),
    artifacts: z.optional(
      z.array(z.object({ artifact_id: z.string(), file_path: z.string(), event_id: z.int() })),
    ),
    task_status: z.optional(
      z.object({
        task_id: z.string(),
        status: z.string(),
        status_event_id: z.int(),
        close_event_id: z.optional(z.int()),
      }),
    ),
  }),
  untrusted: ['kind', 'memories[].key', 'artifacts[].file_path'],
  examples: [
    'push --event \'{"kind":"progress","message":"parser done"}\' --task-id task_1 --request-id r13 --dry-run',
    'push --event \'{"kind":"progress","message":"parser done"}\' --task-id task_1 --request-id r13 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_HUMAN_REQUIRED'],
  changes: async (given, { session, at, agent }) => {
    const push = readPush(given, agent, Date.parse(at), []);
    const row = given.task_id === undefined ? undefined : await requireTask(session, given.task_id);
    const parts = {
      event: push.event?.kind ?? null,
      memories: push.memories.length,
      artifacts: push.artifacts.length,
      status: push.taskStatus?.status ?? null,
    };
    const version = row && push.taskStatus ? String(row.version) : null;
    return [{ action: 'push', resource: 'journal', id: given.task_id ?? agent, after: parts, version }];
  },
  prepare: ({ artifacts }, describeFile) =>
    Promise.all(listOf(artifacts).map(({ file_path }) => describeFile(file_path))),
  apply: (given, scope, facts) => applyPush(scope, readPush(given, scope.agent, scope.nowMs, facts)),
});

function readPush(
  given: ParametersOf<typeof params>,
  agent: string,
  nowMs: number,
  facts: readonly (FileFacts | undefined)[],
): Push {
  const metadata = given.event?.metadata as JsonObject | undefined;
  if (metadata && JSON.stringify(metadata).length > STORE_LIMITS.metadataCharacters) throw tooLarge();
  return {
    taskId: given.task_id,
    event: given.event && { kind: given.event.kind, message: given.event.message, metadata },
    memories: listOf(given.memories).map((memory) => readMemory(memory, agent, nowMs)),
    artifacts: listOf(given.artifacts).map(({ file_path, content_type }, index) => ({
      filePath: file_path,
      contentType: content_type,
      facts: facts[index],
    })),
    taskStatus: given.task_status && {
      status: given.task_status.status,
      summary: given.task_status.summary,
      label: given.task_status.label,
      blockedReason: given.task_status.blocked_reason,
    },
  };
}

function listOf<T>(given: T | readonly T[] | undefined): readonly T[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given as T];
}

function tooLarge(): Fault {
  return new Fault('E_VALIDATION', 'The metadata of the event is too large.', {
    hint: `It may have ${STORE_LIMITS.metadataCharacters} characters as JSON; put the rest into a file and record it as an artifact.`,
    details: { field: 'event.metadata', max: STORE_LIMITS.metadataCharacters },
  });
}
