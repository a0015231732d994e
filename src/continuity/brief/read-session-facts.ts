import { isPlainObject } from '../../base/json.ts';
import type { Session } from '../database/database.ts';
import { newestFailures, newestPrompts, newestTools } from '../database/queries/brief-events.ts';
import type { EventRow } from '../events/event.ts';
import type { Constraint, EditedFile, Failure } from './brief.ts';
import { findConstraints } from './find-constraints.ts';
import { headAndTail } from './head-and-tail.ts';
import { isAfter, newestFirst } from './newest-first.ts';

/** What hooks recorded about the sessions in a project. */
export interface SessionFacts {
  /** Newest first; those for the task in focus before those for other tasks. */
  readonly requests: EventRow[];
  readonly constraints: Constraint[];
  readonly failures: Failure[];
  readonly files: EditedFile[];
}

/** Enough for several sessions; more would only be older. */
const LIMITS = { prompts: 300, failures: 20, tools: 400 } as const;
const SHOWN = { requests: 6, constraints: 12, failures: 3, files: 15 } as const;

/** Reads the facts. Every query has a limit and an index, so the cost does not grow with the store. */
export async function readSessionFacts(
  session: Session,
  projectId: string | undefined,
  taskId: string | undefined,
): Promise<SessionFacts> {
  const filter = projectId !== undefined && 'project';
  const read = async (query: typeof newestPrompts, limit: number): Promise<EventRow[]> =>
    newestFirst(await session.all(query(filter), { project_id: projectId ?? '', limit }));
  const prompts = await read(newestPrompts, LIMITS.prompts);
  const failures = await read(newestFailures, LIMITS.failures);
  const tools = await read(newestTools, LIMITS.tools);
  const requests = ownFirst(prompts.filter(isRequest), taskId);
  return {
    requests: (requests.length === 0 ? prompts : requests).slice(0, SHOWN.requests),
    constraints: findConstraints(prompts).slice(0, SHOWN.constraints),
    failures: summarizeFailures(failures, tools),
    files: summarizeEdits(tools, projectId),
  };
}

/** Answers such as "yes", "continue" or "/compact" say nothing without the conversation around them. */
function isRequest({ message }: EventRow): boolean {
  const text = message.trim();
  return !/^[/!]\S+$/u.test(text) && (text.match(/[\p{L}\p{N}]+/gu) ?? []).length >= 4;
}

function ownFirst(events: readonly EventRow[], taskId: string | undefined): EventRow[] {
  const isOwn = ({ task_id }: EventRow): boolean =>
    taskId === undefined || task_id === null || task_id === taskId;
  return [...events.filter(isOwn), ...events.filter((event) => !isOwn(event))];
}

function summarizeFailures(failures: readonly EventRow[], tools: readonly EventRow[]): Failure[] {
  const found = new Map<string, Failure>();
  for (const { id, message, metadata, created_at } of failures) {
    const command = inputText(metadata, ['command', 'file_path']);
    const tool = /^([^:\n]{1,100}): /u.exec(message)?.[1] ?? '';
    const same = `${tool} ${command ?? message}`;
    if (found.has(same)) continue;
    found.set(same, {
      event_id: String(id),
      tool,
      ...(command !== undefined && { command: headAndTail(command, 200) }),
      error: headAndTail(message.slice(tool === '' ? 0 : tool.length + 2), 700),
      created_at,
      succeeded_later:
        command !== undefined &&
        tools.some(
          (event) =>
            isAfter(event, { id, created_at }) &&
            inputText(event.metadata, ['command', 'file_path']) === command,
        ),
    });
  }
  return [...found.values()].slice(0, SHOWN.failures);
}

function summarizeEdits(tools: readonly EventRow[], projectId: string | undefined): EditedFile[] {
  const files = new Map<string, { edits: number; last_edited_at: string }>();
  for (const { metadata, created_at } of tools) {
    const path = inputText(metadata, ['file_path']);
    if (path === undefined) continue;
    const shown =
      projectId !== undefined && path.startsWith(`${projectId}/`) ? path.slice(projectId.length + 1) : path;
    const known = files.get(shown);
    if (known === undefined) files.set(shown, { edits: 1, last_edited_at: created_at });
    else known.edits += 1;
  }
  return [...files].slice(0, SHOWN.files).map(([file_path, edits]) => ({ file_path, ...edits }));
}

/** Reads a member that the hooks recorded; earlier versions recorded it only inside of the tool input. */
function inputText(metadata: string, names: readonly string[]): string | undefined {
  const recorded = JSON.parse(metadata) as Record<string, unknown>;
  const input = isPlainObject(recorded.tool_input) ? recorded.tool_input : {};
  for (const name of names) {
    const value = recorded[name] ?? input[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
