import type { JsonObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import { PREVIEW_CHARACTERS } from '../store-limits.ts';
import type { Push } from './apply-push.ts';

/** What a push would store, with the names of its parameters; long texts are shortened. */
export function previewPush({ event, memories, artifacts, taskStatus }: Push): JsonObject {
  return {
    ...(event && { event: { kind: event.kind, message: cut(event.message), ...previewMetadata(event) } }),
    ...(memories.length > 0 && {
      memories: memories.map((memory) => ({
        scope: memory.scope,
        ...(memory.scope_id !== '' && { scope_id: memory.scope_id }),
        key: memory.key,
        value: cut(memory.value),
        value_type: memory.valueType,
        ...(memory.kind && { kind: memory.kind }),
        ...(memory.pinned !== undefined && { pinned: memory.pinned }),
        ...(memory.expiresAt !== null && { expires_at: memory.expiresAt }),
      })),
    }),
    ...(artifacts.length > 0 && {
      artifacts: artifacts.map(({ filePath, contentType }) => ({
        file_path: filePath,
        ...(contentType && { content_type: contentType }),
      })),
    }),
    ...(taskStatus && {
      task_status: {
        status: taskStatus.status,
        ...(taskStatus.summary !== undefined && { summary: cut(taskStatus.summary) }),
        ...(taskStatus.label !== undefined && { label: taskStatus.label }),
        ...(taskStatus.blockedReason !== undefined && { blocked_reason: cut(taskStatus.blockedReason) }),
      },
    }),
  };
}

/** Large metadata is shown as the beginning of its JSON text. */
function previewMetadata({ metadata }: NonNullable<Push['event']>): JsonObject {
  if (metadata === undefined) return {};
  const text = JSON.stringify(metadata);
  return { metadata: text.length > PREVIEW_CHARACTERS ? cut(text) : metadata };
}

function cut(text: string): string {
  return excerpt(text, PREVIEW_CHARACTERS);
}
