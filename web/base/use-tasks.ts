import { useEffect } from 'preact/hooks';
import { CallError, read } from './api.ts';
import { onChanges } from './live.ts';
import { usePages, type ItemOf, type Pages } from './use-pages.ts';

export type Task = ItemOf<'task list'>;

const PAGE = 1000;
/** More changed tasks than this are not read one by one. */
const MAX_SINGLE = 20;

/** All tasks, kept current: only those that changed are read again. */
export function useTasks(): Pages<Task> {
  const pages = usePages(
    'task list',
    { limit: PAGE },
    { keyOf: ({ id }) => id, isAffected: ({ tasks }) => tasks.length > MAX_SINGLE, readsAll: true },
  );
  useEffect(() => {
    const refresh = async (id: string): Promise<void> => {
      const task = await readTask(id);
      pages.update((tasks) => [...tasks.filter((other) => other.id !== id), ...(task ? [task] : [])]);
    };
    return onChanges((changes) => {
      const ids = changes?.tasks ?? [];
      // Without an answer the page shows the last known state; the next change tries again.
      if (ids.length <= MAX_SINGLE) for (const id of ids) refresh(id).catch(() => undefined);
    });
  }, []);
  return pages;
}

/** Undefined for a task that was deleted. */
async function readTask(id: string): Promise<Task | undefined> {
  try {
    return await read('task get', { id });
  } catch (error) {
    if (error instanceof CallError && error.code === 'E_NOT_FOUND') return undefined;
    throw error;
  }
}
