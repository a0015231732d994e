import * as v from 'valibot';
import { described, int, record, strictObject } from '../base/schema.ts';
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

const memoryPart = v.optional(
  oneOrMore(
    strictObject({
      key: shortText,
      value: v.unknown(),
      value_type: v.optional(v.picklist(VALUE_TYPES)),
      scope: v.optional(v.picklist(MEMORY_SCOPES)),
      scope_id: v.optional(shortText),
      kind: v.optional(v.picklist(MEMORY_KINDS)),
      pinned: v.optional(v.boolean()),
      expires_in: v.optional(v.string()),
      expires_at: v.optional(v.string()),
    }),
  ),
);

const artifactPart = v.optional(
  oneOrMore(strictObject({ file_path: pathText, content_type: v.optional(shortText) })),
);

const statusPart = v.optional(
  strictObject({
    status: v.picklist(TASK_STATUSES),
    summary: v.optional(messageText),
    label: v.optional(shortText),
    blocked_reason: v.optional(titleText),
  }),
);

/** One or several, so that a single one needs no brackets. */
function oneOrMore<T extends v.GenericSchema>(item: T) {
  return v.union([v.pipe(v.array(item), v.maxLength(STORE_LIMITS.pushParts)), item]);
}

const params = {
  task_id: described(v.optional(shortText), 'The task it is about; artifacts and task_status need one'),
  event: described(
    v.optional(
      strictObject({
        kind: shortText,
        message: messageText,
        metadata: v.optional(record(v.unknown())),
      }),
    ),
    'What happened: {"kind":"progress","message":"…","metadata":{…}}',
  ),
  memories: described(
    memoryPart,
    'What to remember: [{"key":"…","value":"…","scope":"task","scope_id":"…"}]',
  ),
  artifacts: described(artifactPart, 'Files that were made: [{"file_path":"…"}]'),
  task_status: described(statusPart, 'The new status of the task: {"status":"completed","summary":"…"}'),
};

export default defineJournalWrite({
  path: 'push',
  summary: 'Record event, memories, artifacts and status of a task in one write',
  params,
  output: {
    event_id: v.optional(int()),
    kind: v.optional(v.string()),
    memories: v.optional(v.array(v.object({ key: v.string(), event_id: int() }))),
    artifacts: v.optional(
      v.array(v.object({ artifact_id: v.string(), file_path: v.string(), event_id: int() })),
    ),
    task_status: v.optional(
      v.object({
        task_id: v.string(),
        status: v.string(),
        status_event_id: int(),
        close_event_id: v.optional(int()),
      }),
    ),
  },
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
