import { signal } from '@preact/signals';
import type { JSX, TargetedDragEvent } from 'preact';
import { baseName, callerName, formatNumber, formatReason } from '../base/format.ts';
import {
  COLUMNS,
  columnOf,
  openDependencies,
  type ColumnId,
  type TaskGroups,
  type TaskStatus,
} from '../base/task-board.ts';
import type { Task } from '../base/use-tasks.ts';
import { StateBadge } from './badge.tsx';
import { Countdown } from './time.tsx';
import { VirtualList } from './virtual-list.tsx';

interface TaskBoardProps {
  readonly groups: TaskGroups;
  readonly byId: ReadonlyMap<string, Task>;
  readonly selected: string | undefined;
  readonly hrefOf: (id: string) => string;
  /** Undefined when nothing can be moved. */
  readonly onMove: ((task: Task, status: TaskStatus) => void) | undefined;
}

const CARD_PX = 62;
/** The task as it was when the drag began: what the person acts on. */
const dragged = signal<Task | undefined>(undefined);

/** Tasks in a column per status. A card is moved by dragging it, or by the actions of its task. */
export function TaskBoard({ groups, byId, selected, hrefOf, onMove }: TaskBoardProps): JSX.Element {
  const isTarget = (id: ColumnId): id is TaskStatus =>
    id !== 'waiting' && dragged.value !== undefined && dragged.value.status !== id;
  return (
    <div class="board" tabIndex={0} role="region" aria-label="Board">
      {COLUMNS.map(({ id, label, state }) => {
        const tasks = groups.get(id) ?? [];
        return (
          <section
            key={id}
            class={isTarget(id) ? 'column target' : 'column'}
            aria-label={label}
            onDragOver={(event) => {
              if (isTarget(id)) event.preventDefault();
            }}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged.value !== undefined && isTarget(id)) onMove?.(dragged.value, id);
              // A card that another person moved meanwhile is gone and does not report the end of the drag.
              dragged.value = undefined;
            }}
          >
            <header class="panel-head">
              <StateBadge state={state} label={label} />
              <span class="spacer" />
              <span class="count number">{formatNumber(tasks.length)}</span>
            </header>
            <VirtualList
              label={`${label}: tasks`}
              items={tasks}
              rowHeight={CARD_PX}
              keyOf={(task) => task.id}
              selected={selected}
              render={(task) => (
                <TaskCard
                  task={task}
                  waitsFor={openDependencies(task, byId).length}
                  isSelected={task.id === selected}
                  href={hrefOf(task.id)}
                  isMovable={onMove !== undefined}
                />
              )}
            />
          </section>
        );
      })}
    </div>
  );
}

interface TaskCardProps {
  readonly task: Task;
  readonly waitsFor: number;
  readonly isSelected: boolean;
  readonly href: string;
  readonly isMovable: boolean;
}

function TaskCard({ task, waitsFor, isSelected, href, isMovable }: TaskCardProps): JSX.Element {
  const start = (event: TargetedDragEvent<HTMLAnchorElement>): void => {
    dragged.value = task;
    event.dataTransfer?.setData('text/plain', task.id);
  };
  return (
    <a
      class={isSelected ? 'card selected' : 'card'}
      href={href}
      aria-current={isSelected ? 'true' : undefined}
      draggable={isMovable}
      onDragStart={start}
      onDragEnd={() => (dragged.value = undefined)}
    >
      <span class="card-title">{task.title}</span>
      <span class="card-line">
        {task.priority !== 0 && <span class="priority number">P{task.priority}</span>}
        <CardState task={task} waitsFor={waitsFor} />
      </span>
    </a>
  );
}

/** What matters most about a task in its column. */
function CardState({ task, waitsFor }: Pick<TaskCardProps, 'task' | 'waitsFor'>): JSX.Element {
  const { claim, status } = task;
  if (columnOf(task).id === 'waiting')
    return <span class="clip">waits for {waitsFor === 1 ? '1 task' : `${waitsFor} tasks`}</span>;
  if (status === 'blocked') return <span class="clip">{formatReason(task.blocked_reason)}</span>;
  if (claim !== undefined && status !== 'completed')
    return (
      <>
        <span class="clip">{callerName(claim.agent)}</span>
        <span class={claim.expired ? 'claim expired' : 'claim'}>
          <Countdown to={claim.expires_at} />
        </span>
      </>
    );
  return <span class="clip">{task.project_id === undefined ? task.id : baseName(task.project_id)}</span>;
}
