import type { PlannedRead, TransactionHints } from '../database/database.ts';
import { findMemory } from '../database/queries/memories.ts';
import { findTask } from '../database/queries/tasks.ts';
import type { Push } from './apply-push.ts';

/** What a push will read and add, so that a database over a network needs two round trips for it. */
export function pushHints({ taskId, event, memories, artifacts, taskStatus }: Push): TransactionHints {
  return {
    isAppend: memories.length === 0 && taskStatus === undefined,
    reads: [
      ...(taskId === undefined ? [] : [[findTask, { id: taskId }] satisfies PlannedRead]),
      ...memories.map(({ scope, scope_id, key }): PlannedRead => [findMemory, { scope, scope_id, key }]),
    ],
    newEvents: (event === undefined ? 0 : 1) + memories.length + artifacts.length,
    newMemories: memories.length,
  };
}
