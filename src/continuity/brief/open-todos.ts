import { isPlainObject } from '../../base/json.ts';
import type { EventRow } from '../events/event.ts';
import type { Todo } from './brief.ts';
import { sessionOf } from './choose-messages.ts';

/** The most open items of a list that are recorded. */
export const MAX_OPEN_ITEMS = 12;

/** An open item, as hooks record it. */
export type OpenTodo = Readonly<Pick<Todo, 'text' | 'started'>>;

/** The open items of a to-do list as hooks record it, and how many there were. */
export type TodoList = { readonly items: OpenTodo[]; readonly open: number };

/** The newest to-do list of a session among its tool calls, newest first, and the event that recorded it. */
export function newestTodoList(
  tools: readonly EventRow[],
  session: string,
): { readonly row: EventRow; readonly list: TodoList } | undefined {
  for (const row of tools) {
    if (sessionOf(row) !== session) continue;
    const { todo_list: list } = JSON.parse(row.metadata) as { todo_list?: unknown };
    if (isTodoList(list)) return { row, list };
  }
  return undefined;
}

/** What the last session that called a tool had left to do; a later session that did not get that far changed nothing. */
export function openTodos(tools: readonly EventRow[]): { readonly todos: Todo[]; readonly open: number } {
  const [newest] = tools;
  const found = newest && newestTodoList(tools, sessionOf(newest));
  if (found === undefined) return { todos: [], open: 0 };
  const { row, list } = found;
  const todos = list.items.map(({ text, started }) => ({
    event_id: String(row.id),
    text,
    started,
    created_at: row.created_at,
  }));
  return { todos, open: list.open };
}

function isTodoList(value: unknown): value is TodoList {
  return isPlainObject(value) && Array.isArray(value.items) && typeof value.open === 'number';
}
