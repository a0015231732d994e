import * as v from 'valibot';
import { int, number, record } from '../base/schema.ts';
import { readTaskCounts } from '../continuity/tasks/read-tasks.ts';
import { defineRead, type CommandTable } from '../contract/command.ts';
import { withReader } from './continuity/open-store.ts';
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
  tasks: v.object({ pending: int(), in_progress: int(), completed: int(), blocked: int() }),
  next: v.array(v.object({ command: v.string(), why: v.string() })),
  commands: record(v.string()),
  _untrusted: v.optional(v.array(v.string())),
});

type Overview = v.InferOutput<typeof overviewSchema>;

export default defineRead({
  path: 'overview',
  summary: 'Show what runs, what waits for a person, and what to do next',
  description:
    'A call without a command returns the same answer. "reference" describes the commands; "help" is for people',
  params: {},
  output: overviewSchema,
  untrusted: ['waiting[].what'],
  examples: ['overview', 'overview --format text'],
  errors: ['E_DAMAGED'],
  run: async (_params, context) => {
    const { readOpenWork } = await import('../app/work/read-open-work.ts');
    const { listStoredSessions } = await import('../app/agent/stored-sessions.ts');
    const { running, waiting } = readOpenWork(
      context.home.path,
      context.tool.name,
      context.system.clock.now(),
    );
    const sessions = listStoredSessions(context)
      .filter(({ status }) => status === 'waiting')
      .map(({ id }) => ({
        kind: 'session' as const,
        id,
        what: 'an agent asks for approval of a tool call',
        command: `${context.tool.name} agent sessions show ${id}`,
      }));
    const tasks = await withReader({}, context, (db) => readTaskCounts(db));
    const state = { running, waiting: [...waiting, ...sessions], tasks };
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

/** The useful calls in this state, most urgent first. */
function nextSteps(
  { running, waiting, tasks }: Pick<Overview, 'running' | 'waiting' | 'tasks'>,
  tool: string,
) {
  const [first] = waiting;
  const [job] = running;
  return [
    ...(first === undefined ? [] : [{ command: first.command, why: 'it waits for a person' }]),
    ...(job === undefined
      ? []
      : [{ command: `${tool} work status --id ${job.job_id}`, why: 'a job is running' }]),
    ...(tasks.pending + tasks.in_progress > 0
      ? [{ command: `${tool} task next`, why: 'the queue has tasks' }]
      : [{ command: `${tool} demo`, why: 'the queue is empty; this shows what deed does' }]),
    { command: `${tool} reference --index --compact`, why: 'all commands' },
  ];
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
