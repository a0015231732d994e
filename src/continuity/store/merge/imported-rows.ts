import type { EventRow } from '../../events/event.ts';
import type { MemoryRow } from '../../memory/memory.ts';
import type { TaskRow } from '../../tasks/task.ts';

export interface DependencyRow {
  readonly task_id: string;
  readonly depends_on: string;
  readonly kind: string;
  readonly created_at: string;
}

export interface ArtifactRow {
  readonly id: string;
  readonly task_id: string;
  readonly event_id: number;
  readonly file_path: string;
  readonly content_type: string;
  readonly size_bytes: number | null;
  readonly blake3: string | null;
  readonly created_at: string;
}

/** An entry of the source that was not imported, or was changed. */
export type Remark = {
  readonly resource: string;
  readonly id: string;
  readonly reason: string;
};

/** The rows of another store, except its events. The ids of events and memories are ids of the other store, by which its rows refer to each other. */
export interface ImportedRows {
  readonly tasks: TaskRow[];
  readonly dependencies: DependencyRow[];
  readonly memories: MemoryRow[];
  readonly artifacts: ArtifactRow[];
  /** What the reader of the source left out. */
  readonly skipped: Remark[];
  /** What the reader of the source changed to fit this store. */
  readonly adjusted: Remark[];
}

/** The rows of another tool, which has no large log. */
export interface ForeignRows extends ImportedRows {
  readonly events: EventRow[];
}

export function noRows(): ImportedRows {
  return { tasks: [], dependencies: [], memories: [], artifacts: [], skipped: [], adjusted: [] };
}
