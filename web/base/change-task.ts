import { signal } from '@preact/signals';
import { CallError, write } from './api.ts';
import type { Writes } from './commands.ts';
import { noteTaskChange } from './live.ts';
import { COLUMNS, type TaskStatus } from './task-board.ts';

type TaskChange = 'task set-status' | 'task set-priority' | 'task edit';

/** The task that a person is about to block, and the status that they saw: they are asked for the reason first. */
export const blocking = signal<{ readonly id: string; readonly from: TaskStatus } | undefined>(undefined);

/**
 * Changes a task, if it is still as the person saw it. After a conflict the views read the task again, so that they show what it has become.
 */
export async function changeTask<C extends TaskChange>(
  command: C,
  parameters: Writes[C]['input'],
): Promise<Writes[C]['output']> {
  try {
    return await write(command, parameters);
  } catch (error) {
    if (error instanceof CallError && error.code === 'E_CONFLICT') noteTaskChange(parameters.id);
    throw error;
  }
}

/** Sets the status of a task. Returns what to say about it. */
export async function moveTask(
  id: string,
  from: TaskStatus,
  to: TaskStatus,
  reason?: string,
): Promise<string> {
  await changeTask('task set-status', {
    id,
    status: to,
    expected_status: from,
    ...(reason !== undefined && { blocked_reason: reason }),
  });
  return `Moved to ${labelOf(to)}`;
}

/** Who changed a task before the person did, and what they did. */
export interface EarlierChange {
  readonly by: string | undefined;
  readonly at: string | undefined;
  /** Such as `moved the task to Done`. */
  readonly what: string;
}

/** Reads from a failed change whether another person or agent was faster. */
export function earlierChange({ details }: CallError): EarlierChange | undefined {
  const { reason, status, priority, changed_by: by, changed_at: at } = details;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const done: Readonly<Record<string, string>> = {
    'status-changed': `moved the task to ${labelOf(text(status) ?? '')}`,
    'priority-changed': `set the priority to ${String(priority)}`,
    'title-changed': 'changed the title',
    'description-changed': 'changed the description',
  };
  const what = typeof reason === 'string' ? done[reason] : undefined;
  return what === undefined ? undefined : { by: text(by), at: text(at), what };
}

function labelOf(status: string): string {
  return COLUMNS.find(({ id }) => id === status)?.label ?? status;
}
