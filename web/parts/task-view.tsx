import type { JSX } from 'preact';
import { baseName, callerName, formatReason } from '../base/format.ts';
import { columnOf } from '../base/task-board.ts';
import { session } from '../base/session.ts';
import { useRead } from '../base/use-read.ts';
import type { JournalEvent } from '../base/use-events.ts';
import type { Task } from '../base/use-tasks.ts';
import { StateBadge } from './badge.tsx';
import { CommandLine } from './command-line.tsx';
import { EventRows } from './event-rows.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskDependencies } from './task-dependencies.tsx';
import { TaskText } from './task-editor.tsx';
import { Age, Countdown } from './time.tsx';

interface TaskViewProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly byId: ReadonlyMap<string, Task>;
  readonly hrefOf: (id: string | undefined) => string;
}

const MAX_EVENTS = 20;

/** One task: what it is about, who works on it, what it depends on and what happened to it. */
export function TaskView({ task, tasks, byId, hrefOf }: TaskViewProps): JSX.Element {
  const { id, claim } = task;
  const { data } = useRead('events list', { task_id: id, all: true, limit: MAX_EVENTS }, (changes) =>
    changes.tasks.includes(id),
  );
  const isEditable = session.value?.read_only === false;
  return (
    <section class="panel task-view" aria-label="Selected task">
      <header class="panel-head">
        <StateBadge {...columnOf(task)} />
        <code class="muted">{id}</code>
        <span class="spacer" />
        <a class="button small" href={hrefOf(undefined)} aria-label="Close the task">
          Close
        </a>
      </header>
      <div class="task-body">
        <TaskText key={id} task={task} isEditable={isEditable} />
        {columnOf(task).id === 'blocked' && <p class="run-problem">{formatReason(task.blocked_reason)}</p>}
        <p class="muted">
          {task.project_id !== undefined && `${baseName(task.project_id)} · `}created{' '}
          <Age at={task.created_at} /> · changed <Age at={task.updated_at} />
          {(task.attempts ?? 0) > 1 && ` · attempt ${task.attempts}`}
        </p>
        <RunLink events={data?.items ?? []} />
        {claim !== undefined && (
          <p class={claim.expired ? 'claim expired' : 'claim'}>
            Claimed by <strong>{callerName(claim.agent)}</strong> · <Countdown to={claim.expires_at} />
            {!claim.expired && ' left'}
          </p>
        )}
        {isEditable && <TaskActions key={id} task={task} tasks={tasks} />}
        <TaskDependencies task={task} tasks={tasks} byId={byId} hrefOf={hrefOf} isEditable={isEditable} />
        <h3 class="task-heading">What happened</h3>
        <EventRows events={data?.items ?? []} task={id} />
        <CommandLine line={`deed task get ${id}`} />
      </div>
    </section>
  );
}

/** Leads to the last run of a task, which has its log, its diff and the decisions about it. */
function RunLink({ events }: { readonly events: readonly JournalEvent[] }): JSX.Element | null {
  const found = events.find(({ kind }) => kind.startsWith('run_'))?.metadata;
  const { job_id: jobId, item_id: itemId } = found ?? {};
  if (typeof jobId !== 'string' || typeof itemId !== 'string') return null;
  const href = `/jobs/${encodeURIComponent(jobId)}?item=${encodeURIComponent(itemId)}`;
  return (
    <p>
      <a class="link" href={href}>
        Its run: log, changes, send back
      </a>
    </p>
  );
}
