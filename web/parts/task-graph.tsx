import type { JSX } from 'preact';
import { formatNumber } from '../base/format.ts';
import { columnOf } from '../base/task-board.ts';
import type { Task } from '../base/use-tasks.ts';
import { GraphView } from './graph-view.tsx';
import { Empty } from './notice.tsx';

interface TaskGraphProps {
  /** The tasks with dependencies. */
  readonly tasks: readonly Task[];
  readonly selected: string | undefined;
  readonly hrefOf: (id: string) => string;
}

/** The layout of more would take longer than a frame. */
const MAX_NODES = 300;
const NODE_PX = 208;

/** Open tasks with arrows to those that wait for them. */
export function TaskGraph({ tasks, selected, hrefOf }: TaskGraphProps): JSX.Element {
  const shown = tasks.slice(0, MAX_NODES);
  if (shown.length === 0)
    return (
      <section class="panel" aria-label="Graph">
        <Empty command="deed task add-dep --id <task> --depends-on <other> --dry-run">
          No open task depends on another one.
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
      {tasks.length > shown.length && (
        <p class="note">
          Shows {formatNumber(shown.length)} of {formatNumber(tasks.length)} tasks with dependencies.
        </p>
      )}
    </section>
  );
}
