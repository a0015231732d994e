import * as v from 'valibot';
import { int, number, record } from '../base/schema.ts';
import { readTaskCounts } from '../continuity/tasks/read-tasks.ts';
import { locateStore } from '../app/locate-store.ts';
import { defineRead, type CommandContext, type CommandTable } from '../contract/command.ts';
import { toFault } from '../contract/exit-code.ts';
import { openOptions, withReader } from './continuity/open-store.ts';
import { renderOverview } from './overview-page.ts';

export const overviewSchema = v.object({
  tool: v.string(),
  version: v.string(),
  running: v.array(
    v.object({ job_id: v.string(), items: int(), progress: number(), running_seconds: int() }),
  ),
  waiting: v.array(
    v.object({
      kind: v.picklist(['run', 'session', 'job']),
      id: v.string(),
      what: v.string(),
      command: v.string(),
    }),
  ),
  /** Null if the store cannot be read; "problems" says why. */
  tasks: v.nullable(v.object({ pending: int(), in_progress: int(), completed: int(), blocked: int() })),
  problems: v.optional(
    v.array(
      v.object({
        part: v.picklist(['work', 'sessions', 'store']),
        code: v.string(),
        message: v.string(),
        fix: v.string(),
      }),
    ),
  ),
  next: v.array(v.object({ command: v.string(), why: v.string() })),
  commands: record(v.string()),
  _untrusted: v.optional(v.array(v.string())),
});

type Overview = v.InferOutput<typeof overviewSchema>;

export default defineRead({
  path: 'overview',
  summary: 'Show what runs, what waits for a person, and what to do next',
  description:
    'A call without a command returns the same answer. A part that cannot be read, such as a damaged store, is in "problems" and does not hide the others. "reference" describes the commands; "help" is for people',
  params: {},
  output: overviewSchema,
  untrusted: ['waiting[].what'],
  examples: ['overview', 'overview --format text'],
  errors: ['E_DAMAGED'],
  run: async (_params, context) => {
    // With invalid settings the call fails.
    locateStore({}, context);
    openOptions(context);
    const problems: Problem[] = [];
    const attempt = async <T, N>(
      part: Problem['part'],
      read: () => Promise<T>,
      otherwise: N,
    ): Promise<T | N> => {
      try {
        return await read();
      } catch (error) {
        problems.push(describeProblem(part, error, context));
        return otherwise;
      }
    };
    const work = await attempt('work', () => readWork(context), { running: [], waiting: [] });
    const sessions = await attempt('sessions', () => readSessions(context), []);
    const tasks = await attempt('store', () => withReader({}, context, (db) => readTaskCounts(db)), null);
    const state = {
      running: work.running,
      waiting: [...work.waiting, ...sessions],
      tasks,
      ...(problems.length > 0 && { problems }),
    };
    return {
      tool: context.tool.name,
      version: context.tool.version,
      ...state,
      next: nextSteps(state, context.tool.name),
      commands: groupPaths(context.table),
    };
  },
  renderText: renderOverview,
});

type Problem = NonNullable<Overview['problems']>[number];

/** Describes why a part cannot be read, which must not hide the others; rethrows an error of this program itself. */
function describeProblem(part: Problem['part'], error: unknown, { tool }: CommandContext): Problem {
  const { code, message, hint } = toFault(error);
  if (code === 'E_UNKNOWN') throw error;
  return { part, code, message, fix: hint ?? `Run "${tool.name} doctor".` };
}

async function readWork({ home, tool, system }: CommandContext) {
  const { readOpenWork } = await import('../app/work/read-open-work.ts');
  return readOpenWork(home.path, tool.name, system.clock.now());
}

/** The sessions that wait for a person, and those that cannot be read. */
async function readSessions(context: CommandContext): Promise<Overview['waiting']> {
  const { listStoredSessions } = await import('../app/agent/stored-sessions.ts');
  return listStoredSessions(context)
    .filter(({ status }) => status === 'waiting' || status === 'damaged')
    .map(({ id, status }) => ({
      kind: 'session' as const,
      id,
      what:
        status === 'waiting'
          ? 'an agent asks for approval of a tool call'
          : 'the file of a session is damaged; the others can still be read',
      command: `${context.tool.name} agent sessions show ${id}`,
    }));
}

/** The useful calls in this state, most urgent first. */
function nextSteps(
  { running, waiting, tasks, problems }: Pick<Overview, 'running' | 'waiting' | 'tasks' | 'problems'>,
  tool: string,
) {
  const [first] = waiting;
  const [job] = running;
  return [
    ...(problems === undefined
      ? []
      : [{ command: `${tool} doctor`, why: 'a part of the home cannot be read' }]),
    ...(first === undefined ? [] : [{ command: first.command, why: 'it waits for a person' }]),
    ...(job === undefined
      ? []
      : [{ command: `${tool} work status --id ${job.job_id}`, why: 'a job is running' }]),
    ...queueStep(tasks, tool),
    { command: `${tool} reference --index --compact`, why: 'all commands' },
  ];
}

function queueStep(tasks: Overview['tasks'], tool: string) {
  if (tasks === null) return [];
  return tasks.pending + tasks.in_progress > 0
    ? [{ command: `${tool} task next`, why: 'the queue has tasks' }]
    : [{ command: `${tool} demo`, why: 'the queue is empty; this shows what deed does' }];
}

/** The verbs of each group; commands of one word are under "commands". */
function groupPaths({ paths }: CommandTable): Record<string, string> {
  const groups = Map.groupBy(paths, (path) => (path.includes(' ') ? (path.split(' ')[0] ?? '') : 'commands'));
  return Object.fromEntries(
    [...groups].map(([group, members]) => [
      group,
      members.map((path) => (path.startsWith(`${group} `) ? path.slice(group.length + 1) : path)).join(', '),
    ]),
  );
}
