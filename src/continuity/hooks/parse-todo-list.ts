import { isPlainObject } from '../../base/json.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';
import { MAX_OPEN_ITEMS, type OpenTodo, type TodoList } from '../brief/open-todos.ts';

/** The tools with which agents replace their to-do list: of Claude Code and OpenCode, Codex, and Gemini CLI. */
const LIST_TOOL = /^(?:todowrite|update_plan|write_todos)$/iu;
const LIST_MEMBERS = ['todos', 'plan'] as const;
const TEXT_MEMBERS = ['content', 'step', 'description'] as const;
const CLOSED = /^(?:completed|done|cancelled|canceled)$/u;
const MAX_CHARACTERS = 200;

/** The open items of a call that replaces the to-do list; undefined for any other call. Text is redacted. */
export function parseTodoList(tool: string, input: unknown): TodoList | undefined {
  if (!LIST_TOOL.test(tool) || !isPlainObject(input)) return undefined;
  const list = LIST_MEMBERS.map((name) => input[name]).find((value) => Array.isArray(value));
  if (list === undefined) return undefined;
  const open = list.filter(isPlainObject).flatMap(openTodo);
  return { items: open.slice(0, MAX_OPEN_ITEMS), open: open.length };
}

function openTodo(item: Readonly<Record<string, unknown>>): OpenTodo[] {
  const text = TEXT_MEMBERS.map((name) => item[name]).find((value) => typeof value === 'string') ?? '';
  const status = typeof item.status === 'string' ? item.status.toLowerCase() : '';
  if (text.trim() === '' || CLOSED.test(status)) return [];
  const shown = redactText(text.toWellFormed().replaceAll('\u0000', '')).replaceAll(/\s+/gu, ' ').trim();
  return [{ text: excerpt(shown, MAX_CHARACTERS), started: status === 'in_progress' }];
}
