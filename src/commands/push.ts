import * as v from 'valibot';
import { described, record, strictObject } from '../base/schema.ts';
import { Fault } from '../base/fault.ts';
import { isPlainObject, type JsonObject } from '../base/json.ts';
import { excerpt } from '../base/text.ts';
import { STORE_LIMITS } from '../continuity/store-limits.ts';
import { MEMORY_KINDS, MEMORY_SCOPES, VALUE_TYPES } from '../continuity/memory/memory.ts';
import { applyPush, assertComplete, type Push } from '../continuity/push/apply-push.ts';
import { pushHints } from '../continuity/push/push-hints.ts';
import { requireTask, TASK_STATUSES } from '../continuity/tasks/task.ts';
import type { ParametersOf } from '../contract/described-command.ts';
import type { FileFacts } from '../continuity/scope.ts';
import { defineJournalWrite } from './continuity/define-journal-write.ts';
import { parseMemory } from './continuity/parse-memory.ts';
import { memoryScopes, taskId } from './continuity/task-ids.ts';
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

/** Accepts an array or a single item. */
function oneOrMore<T extends v.GenericSchema>(item: T) {
  return v.union([v.pipe(v.array(item), v.maxLength(STORE_LIMITS.pushParts)), item]);
}

const params = {
  task_id: taskId(
    described(v.optional(shortText), 'The id of the task; required for artifacts and task_status'),
  ),
  event: described(
    v.optional(
      strictObject({
        kind: shortText,
        message: messageText,
        metadata: v.optional(v.union([record(v.unknown()), v.string()])),
      }),
    ),
    'The event: {"kind":"progress","message":"…","metadata":{…}}',
  ),
  memories: memoryScopes(
    described(memoryPart, 'The memories: [{"key":"…","value":"…","scope":"task","scope_id":"…"}]'),
  ),
  artifacts: described(artifactPart, 'The files: [{"file_path":"…"}]'),
  task_status: described(statusPart, 'The new status of the task: {"status":"completed","summary":"…"}'),
};

export default defineJournalWrite({
  path: 'push',
  summary: 'Record an event, memories, artifacts and the status of a task in one write',
  params,
  output: {
    event_id: v.optional(v.string()),
    kind: v.optional(v.string()),
    memories: v.optional(v.array(v.object({ key: v.string(), event_id: v.string() }))),
    artifacts: v.optional(
      v.array(v.object({ artifact_id: v.string(), file_path: v.string(), event_id: v.string() })),
    ),
    task_status: v.optional(
      v.object({
        task_id: v.string(),
        status: v.string(),
        status_event_id: v.string(),
        close_event_id: v.optional(v.string()),
      }),
    ),
  },
  untrusted: ['kind', 'memories[].key', 'artifacts[].file_path'],
  keyFields: ['event_id', 'task_status.status'],
  examples: [
    'push --event \'{"kind":"progress","message":"parser done"}\' --task-id task_6a2x74g0k3m9p --request-id r13 --dry-run',
    'push --event \'{"kind":"progress","message":"parser done"}\' --task-id task_6a2x74g0k3m9p --request-id r13 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_HUMAN_REQUIRED'],
  changes: async (values, { db, at, agent }) => {
    const push = parsePush(values, agent, Date.parse(at), []);
    assertComplete(push);
    const row = values.task_id === undefined ? undefined : await requireTask(db, values.task_id);
    const version = row && push.taskStatus ? String(row.version) : null;
    const { previewPush } = await import('../continuity/push/preview-push.ts');
    return [
      { action: 'push', resource: 'journal', id: values.task_id ?? agent, after: previewPush(push), version },
    ];
  },
  prepare: ({ artifacts }, describeFile) =>
    Promise.all(toArray(artifacts).map(({ file_path }) => describeFile(file_path))),
  hints: (values, agent, nowMs) => pushHints(parsePush(values, agent, nowMs, [])),
  apply: (values, scope, facts) => applyPush(scope, parsePush(values, scope.agent, scope.nowMs, facts)),
});

function parsePush(
  values: ParametersOf<typeof params>,
  agent: string,
  nowMs: number,
  facts: readonly (FileFacts | undefined)[],
): Push {
  const metadata = parseMetadata(values.event?.metadata);
  const length = metadata === undefined ? 0 : JSON.stringify(metadata).length;
  if (length > STORE_LIMITS.metadataCharacters) throw tooLarge(length);
  return {
    taskId: values.task_id,
    event: values.event && { kind: values.event.kind, message: values.event.message, metadata },
    memories: toArray(values.memories).map((memory) => parseMemory(memory, agent, nowMs)),
    artifacts: toArray(values.artifacts).map(({ file_path, content_type }, index) => ({
      filePath: file_path,
      contentType: content_type,
      facts: facts[index],
    })),
    taskStatus: values.task_status && {
      status: values.task_status.status,
      summary: values.task_status.summary,
      label: values.task_status.label,
      blockedReason: values.task_status.blocked_reason,
    },
  };
}

/** Accepts an object, or its JSON as a string, as models often write it. */
function parseMetadata(given: unknown): JsonObject | undefined {
  if (typeof given !== 'string') return given as JsonObject | undefined;
  try {
    const value: unknown = JSON.parse(given);
    if (isPlainObject(value)) return value as JsonObject;
  } catch {
    // Reported below.
  }
  throw new Fault('E_VALIDATION', `The metadata of the event is not a JSON object: ${excerpt(given)}`, {
    hint: 'Pass an object, for example "metadata":{"file":"parser.ts"}.',
    details: { field: 'event.metadata', value: excerpt(given) },
  });
}

function toArray<T>(values: T | readonly T[] | undefined): readonly T[] {
  if (values === undefined) return [];
  return Array.isArray(values) ? values : [values as T];
}

function tooLarge(length: number): Fault {
  return new Fault('E_VALIDATION', `The metadata of the event is too large: ${length} characters.`, {
    hint: `The limit is ${STORE_LIMITS.metadataCharacters} characters of JSON. Store more in a file and record it as an artifact.`,
    details: { field: 'event.metadata', max: STORE_LIMITS.metadataCharacters },
  });
}
