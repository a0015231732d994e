import { signal } from '@preact/signals';
import { CallError, write } from './api.ts';
import { noteTaskChange } from './live.ts';
import { COLUMNS, type TaskStatus } from './task-board.ts';

/** The task that a person is about to block, and the status that they saw: they are asked for the reason first. */
export const blocking = signal<{ readonly id: string; readonly from: TaskStatus } | undefined>(undefined);

/**
 * Sets the status of a task, if it still has the one that the person saw. Returns what to say about it. After a conflict the views read the
 * task again, so that its card returns to its true place.
 */
export async function moveTask(
  id: string,
  from: TaskStatus,
  to: TaskStatus,
  reason?: string,
): Promise<string> {
  try {
    await write('task set-status', {
      id,
      status: to,
      expected_status: from,
      ...(reason !== undefined && { blocked_reason: reason }),
    });
  } catch (error) {
    if (error instanceof CallError && error.code === 'E_CONFLICT') noteTaskChange(id);
    throw error;
  }
  return `Moved to ${labelOf(to)}`;
}

/** Who moved a task before the person did, and where it is now. */
export interface EarlierMove {
  readonly by: string | undefined;
  readonly at: string | undefined;
  readonly label: string;
}

/** Reads from a failed move whether another person or agent was faster. */
export function earlierMove({ details }: CallError): EarlierMove | undefined {
  const { reason, status, changed_by: by, changed_at: at } = details;
  if (reason !== 'status-changed') return undefined;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return { by: text(by), at: text(at), label: labelOf(text(status) ?? '') };
}

function labelOf(status: string): string {
  return COLUMNS.find(({ id }) => id === status)?.label ?? status;
}
