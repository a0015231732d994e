import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { blocking, moveTask } from '../base/change-task.ts';
import { plural } from '../base/format.ts';
import { open, query, select } from '../base/router.ts';
import { session } from '../base/session.ts';
import {
  columnOf,
  COLUMNS,
  filterTasks,
  groupTasks,
  type TaskGroups,
  type TaskStatus,
} from '../base/task-board.ts';
import { useAction } from '../base/use-action.ts';
import { useKeys } from '../base/use-keys.ts';
import { useTasks, type Task } from '../base/use-tasks.ts';
import { announce } from '../parts/announcement.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { NewTaskButton } from '../parts/new-task.tsx';
import { Empty, Failure, Loading } from '../parts/notice.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { TaskBoard } from '../parts/task-board.tsx';
import { TaskFailure } from '../parts/task-failure.tsx';
import { TaskGraph } from '../parts/task-graph.tsx';
import { TaskView } from '../parts/task-view.tsx';
import { ViewChoice } from '../parts/view-choice.tsx';

const VIEWS = [
  { id: 'board', label: 'Board' },
  { id: 'graph', label: 'Graph' },
] as const;

/** The tasks of all projects: a board by status, and the graph of their dependencies. */
export default function TasksPage(): JSX.Element {
  const { items: tasks, error } = useTasks();
  const text = query.value.get('q') ?? '';
  const project = query.value.get('project') ?? undefined;
  const view = query.value.get('view') === 'graph' ? 'graph' : 'board';
  const byId = useMemo(() => new Map((tasks ?? []).map((task) => [task.id, task])), [tasks]);
  const found = useMemo(() => filterTasks(tasks ?? [], { text, project }), [tasks, text, project]);
  const groups = useMemo(() => groupTasks(found), [found]);
  const selected = byId.get(query.value.get('task') ?? '');
  const isEditable = session.value?.read_only === false;
  const moving = useAction();
  useBoardKeys(groups, selected);
  if (tasks === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  const onMove = ({ id, status: from }: Task, to: TaskStatus): void => {
    if (to === 'blocked') {
      // The reason is asked for in the view of the task.
      blocking.value = { id, from };
      select({ task: id });
    } else void moving.run(async () => announce(await moveTask(id, from, to)));
  };
  return (
    <>
      <div class="page-head">
        <h1>Tasks</h1>
        <span class="muted number">{plural(tasks.length, 'task')}</span>
        <ViewChoice
          label="View"
          views={VIEWS}
          selected={view}
          onSelect={(id) => select({ view: id === 'board' ? undefined : id })}
        />
        <ProjectFilter tasks={tasks} project={project} />
        <span class="spacer" />
        <SearchField label="Search tasks" value={text} onChange={(value) => select({ q: value })} />
        {isEditable && <NewTaskButton project={project} onCreated={(id) => open(hrefOf(id))} />}
        <CommandLine line="deed task list" />
      </div>
      {moving.error !== undefined && <TaskFailure error={moving.error} />}
      {tasks.length === 0 && (
        <Empty command='deed task create --title "…" --dry-run'>
          There are no tasks. Agents and people create them; each is claimed by one of them at a time.
        </Empty>
      )}
      <div class={selected === undefined ? 'tasks' : 'tasks with-view'} hidden={tasks.length === 0}>
        {view === 'graph' ? (
          <TaskGraph tasks={tasks} found={found} selected={selected?.id} hrefOf={hrefOf} />
        ) : (
          <TaskBoard
            groups={groups}
            byId={byId}
            selected={selected?.id}
            hrefOf={hrefOf}
            onMove={isEditable ? onMove : undefined}
          />
        )}
        {selected !== undefined && <TaskView task={selected} tasks={tasks} byId={byId} hrefOf={hrefOf} />}
      </div>
    </>
  );
}

/** The address with this task selected; undefined selects none. */
function hrefOf(id: string | undefined): string {
  const next = new URLSearchParams(query.value);
  if (id === undefined) next.delete('task');
  else next.set('task', id);
  return `/tasks?${next.toString()}`;
}

/** `j` and `k` move in a column, `h` and `l` between columns. */
function useBoardKeys(groups: TaskGroups, selected: Task | undefined): void {
  const columns = COLUMNS.map(({ id }) => ({ id, tasks: groups.get(id) ?? [] })).filter(
    ({ tasks }) => tasks.length > 0,
  );
  const move = (across: number, down: number): void => {
    const at = columns.findIndex(({ id }) => selected !== undefined && columnOf(selected).id === id);
    const { tasks = [] } = columns[Math.max(0, Math.min(columns.length - 1, at + across))] ?? {};
    const row = columns[at]?.tasks.findIndex(({ id }) => id === selected?.id) ?? -1;
    const next = tasks[Math.max(0, Math.min(tasks.length - 1, row + down))];
    if (next !== undefined) open(hrefOf(next.id), { replace: true });
  };
  useKeys({
    j: () => move(0, 1),
    k: () => move(0, -1),
    h: () => move(-1, 0),
    l: () => move(1, 0),
    Escape: () => select({ task: undefined }),
  });
}

function ProjectFilter({
  tasks,
  project,
}: {
  readonly tasks: readonly Task[];
  readonly project: string | undefined;
}): JSX.Element | null {
  const projects = useMemo(
    () => [...new Set(tasks.flatMap(({ project_id }) => project_id ?? []))].toSorted(),
    [tasks],
  );
  if (projects.length === 0) return null;
  return (
    <select
      aria-label="Project"
      value={project ?? ''}
      onChange={({ currentTarget: { value } }) => select({ project: value === '' ? undefined : value })}
    >
      <option value="">All projects</option>
      {projects.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
