import type { QueryRunner } from '../database/database.ts';
import {
  newestFailures,
  newestMessages,
  newestPrompts,
  newestTools,
} from '../database/queries/brief-events.ts';
import type { EventRow } from '../events/event.ts';
import type { Constraint, EditedFile, Failure, Todo } from './brief.ts';
import { chooseMessages, ruledOutIn, sessionOf } from './choose-messages.ts';
import { findConstraints } from './find-constraints.ts';
import { isRequest } from './is-request.ts';
import { newestFirst } from './newest-first.ts';
import { openTodos } from './open-todos.ts';
import { summarizeEdits } from './summarize-edits.ts';
import { summarizeFailures } from './summarize-failures.ts';

/** What hooks recorded about the sessions in a project. */
export interface SessionFacts {
  /** Newest first; those for the task in focus before those for other tasks. */
  readonly requests: EventRow[];
  /** The request that the newest session began with. */
  readonly opening: EventRow | undefined;
  readonly todos: Todo[];
  /** More than `todos` if the list was long. */
  readonly openTodos: number;
  readonly constraints: Constraint[];
  /** What agents said at the end of their turns, the most useful first. */
  readonly messages: EventRow[];
  /** Sentences of agents about what does not work. */
  readonly ruledOut: EventRow[];
  readonly failures: Failure[];
  readonly files: EditedFile[];
}

/** Enough for several sessions; more would only be older. */
const LIMITS = { prompts: 300, messages: 60, failures: 60, tools: 400 } as const;
const SHOWN = { requests: 18, constraints: 14, ruledOut: 3 } as const;

/** Reads the facts. Every query has a limit and an index, so the cost does not grow with the store. */
export async function readSessionFacts(
  db: QueryRunner,
  projectId: string | undefined,
  taskId: string | undefined,
): Promise<SessionFacts> {
  const filter = projectId !== undefined && 'project';
  const read = async (query: typeof newestPrompts, limit: number): Promise<EventRow[]> =>
    newestFirst(await db.all(query(filter), { project_id: projectId ?? '', limit }));
  const prompts = await read(newestPrompts, LIMITS.prompts);
  const messages = await read(newestMessages, LIMITS.messages);
  const failures = await read(newestFailures, LIMITS.failures);
  const tools = await read(newestTools, LIMITS.tools);
  const asked = prompts.filter(({ message }) => isRequest(message));
  const { todos, open } = openTodos(tools);
  const requests = ownFirst(asked, taskId);
  return {
    requests: (requests.length === 0 ? prompts : requests).slice(0, SHOWN.requests),
    opening: asked.findLast((row) => sessionOf(row) === sessionOf(asked[0] as EventRow)),
    todos,
    openTodos: open,
    constraints: findConstraints(asked).slice(0, SHOWN.constraints),
    messages: chooseMessages(messages),
    ruledOut: ruledOutIn(messages).slice(0, SHOWN.ruledOut),
    failures: summarizeFailures(failures, tools),
    files: summarizeEdits(tools, projectId),
  };
}

function ownFirst(events: readonly EventRow[], taskId: string | undefined): EventRow[] {
  const isOwn = ({ task_id }: EventRow): boolean =>
    taskId === undefined || task_id === null || task_id === taskId;
  return [...events.filter(isOwn), ...events.filter((event) => !isOwn(event))];
}
