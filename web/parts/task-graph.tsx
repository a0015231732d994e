import type { JSX } from 'preact';
import { formatNumber, plural } from '../base/format.ts';
import { columnOf, linkedTasks } from '../base/task-board.ts';
import type { Task } from '../base/use-tasks.ts';
import { GraphView } from './graph-view.tsx';
import { Empty } from './notice.tsx';

interface TaskGraphProps {
  readonly tasks: readonly Task[];
  /** Those that match the search and the project. */
  readonly found: readonly Task[];
  readonly selected: string | undefined;
  readonly hrefOf: (id: string) => string;
}

/** The layout of more would take longer than a frame. */
const MAX_NODES = 300;
const NODE_PX = 208;

/** Open tasks with arrows to those that wait for them. */
export function TaskGraph({ tasks, found, selected, hrefOf }: TaskGraphProps): JSX.Element {
  const linked = linkedTasks(tasks, found);
  const shown = linked.slice(0, MAX_NODES);
  const ids = new Set(linked.map(({ id }) => id));
  const others = found.filter(({ id, status }) => status !== 'completed' && !ids.has(id)).length;
  if (shown.length === 0)
    return (
      <section class="panel" aria-label="Graph">
        <Empty command="deed task add-dep --id <task> --depends-on <other> --dry-run">
          {found.length === tasks.length
            ? 'No open task depends'
            : 'None of the open tasks found here depends'}{' '}
          on another one.
        </Empty>
      </section>
    );
  return (
    <section class="panel task-graph" aria-label="Graph">
      <GraphView
        label="Dependencies of the tasks"
        nodeWidth={NODE_PX}
        nodes={shown.map((task) => ({
          ...columnOf(task),
          id: task.id,
          title: task.title,
          dependencies: task.depends_on ?? [],
        }))}
        selected={selected}
        hrefOf={hrefOf}
      />
      <p class="note">
        {linked.length > shown.length &&
          `Shows ${formatNumber(shown.length)} of ${formatNumber(linked.length)} tasks with dependencies. `}
        {others > 0 && `${plural(others, 'open task has', 'open tasks have')} no dependencies.`}
      </p>
    </section>
  );
}
