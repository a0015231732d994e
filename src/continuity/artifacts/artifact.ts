import type { QueryRunner } from '../database/database.ts';
import { countRows } from '../database/query.ts';
import { findArtifact, insertArtifact, listArtifacts } from '../database/queries/artifacts.ts';
import { appendEvent } from '../events/event.ts';
import { newId, type FileFacts, type Scope } from '../scope.ts';
import type { TaskRow } from '../tasks/task.ts';
import { contentTypeOf } from './content-type.ts';

/** A file recorded for a task, as returned to callers. */
export interface Artifact {
  readonly id: string;
  readonly task_id: string;
  readonly event_id: string;
  readonly file_path: string;
  readonly content_type: string;
  /** Null if no file existed at the path when it was recorded. */
  readonly size_bytes: number | null;
  readonly blake3: string | null;
  readonly created_at: string;
}

export interface NewArtifact {
  readonly filePath: string;
  readonly contentType?: string | undefined;
  readonly facts?: FileFacts | undefined;
}

/** Records a file for a task with its size and hash, so that later changes to it can be detected. */
export async function addArtifact(
  scope: Scope,
  task: TaskRow,
  artifact: NewArtifact,
): Promise<{ id: string; eventId: string }> {
  const exists = async (id: string) => (await scope.db.first(findArtifact, { id })) !== undefined;
  const id = await newId(scope, 'artifact', exists);
  const path = artifact.filePath.startsWith('/') ? undefined : artifact.facts?.path;
  const eventId = await appendEvent(scope, {
    kind: 'artifact_added',
    message: artifact.filePath,
    projectId: task.project_id,
    taskId: task.id,
    metadata: { artifact_id: id, ...(path !== undefined && { path }) },
  });
  await scope.db.send(insertArtifact, {
    id,
    task_id: task.id,
    event_id: Number(eventId),
    file_path: artifact.filePath,
    content_type: artifact.contentType ?? contentTypeOf(artifact.filePath),
    size_bytes: artifact.facts?.sizeBytes ?? null,
    blake3: artifact.facts?.blake3 ?? null,
    at: scope.at,
  });
  return { id, eventId };
}

/** Reads the files of a task, newest first. */
export async function readArtifacts(
  db: QueryRunner,
  taskId: string,
  limit: number,
  after?: { readonly event_id: number; readonly id: string },
): Promise<Artifact[]> {
  const rows = await db.all(listArtifacts(after !== undefined && 'after'), {
    task_id: taskId,
    after_event_id: after?.event_id ?? 0,
    after_id: after?.id ?? '',
    limit,
  });
  return rows.map((row) => ({ ...row, event_id: String(row.event_id) }));
}

/** Counts the files of a task. */
export async function countArtifactsOf(db: QueryRunner, taskId: string): Promise<number> {
  const values = { task_id: taskId, after_event_id: 0, after_id: '', limit: 0 };
  return (await db.first(countRows(listArtifacts()), values))?.total ?? 0;
}
