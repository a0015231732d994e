import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { write } from '../base/api.ts';
import { blocking, changeTask, moveTask } from '../base/change-task.ts';
import { TARGETS, type TaskStatus } from '../base/task-board.ts';
import { useAction } from '../base/use-action.ts';
import { useKeys } from '../base/use-keys.ts';
import type { Task } from '../base/use-tasks.ts';
import { announce } from './announcement.tsx';
import { TaskFailure } from './task-failure.tsx';
import { TextField } from './text-field.tsx';

interface TaskActionsProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
}

/** Moves a task, assigns it to an agent, changes its priority. */
export function TaskActions({ task, tasks }: TaskActionsProps): JSX.Element {
  const group = useRef<HTMLDivElement>(null);
  const { isBusy, error, run } = useAction();
  useKeys({ m: () => group.current?.querySelector<HTMLElement>('button:not(:disabled)')?.focus() });
  const move = async (from: TaskStatus, to: TaskStatus, reason?: string): Promise<void> => {
    await run(async () => announce(await moveTask(task.id, from, to, reason)));
    blocking.value = undefined;
  };
  const begin = (to: TaskStatus): void => {
    if (to === 'blocked') blocking.value = { id: task.id, from: task.status };
    else void move(task.status, to);
  };
  const blockedFrom = blocking.value?.id === task.id ? blocking.value.from : undefined;
  const setPriority = (priority: number, expected: number): Promise<boolean> =>
    run(() => changeTask('task set-priority', { id: task.id, priority, expected_priority: expected }));
  const assign = (agent: string): Promise<boolean> =>
    run(async () => {
      await write('task begin', { id: task.id, agent });
      announce(`Assigned to ${agent}`);
    });
  const agents = [...new Set(tasks.flatMap(({ claim }) => claim?.agent ?? []))].filter(
    (name) => !name.startsWith('user:'),
  );
  return (
    <div class="task-actions">
      <div class="field-line" role="group" aria-label="Move to" ref={group}>
        <span class="muted">Move to…</span>
        {TARGETS.map(({ status, label }) => (
          <button
            key={status}
            type="button"
            class="small"
            disabled={isBusy || status === task.status}
            aria-pressed={status === task.status}
            onClick={() => begin(status)}
          >
            {label}
          </button>
        ))}
      </div>
      {blockedFrom !== undefined && (
        <TextField
          label="Why is it blocked?"
          button="Block"
          isFocused
          onSubmit={(reason) => void move(blockedFrom, 'blocked', reason)}
        />
      )}
      <Stepper label="Priority" value={task.priority} isDisabled={isBusy} onChange={setPriority} />
      {task.status !== 'completed' && (
        <TextField
          label="Assign to"
          button="Assign"
          suggestions={agents}
          onSubmit={(agent) => void assign(agent)}
        />
      )}
      {error !== undefined && <TaskFailure error={error} />}
    </div>
  );
}

interface StepperProps {
  readonly label: string;
  readonly value: number;
  readonly isDisabled: boolean;
  /** Changes the value that was shown; resolves with whether that succeeded. */
  readonly onChange: (value: number, shown: number) => Promise<boolean>;
}

function Stepper({ label, value, isDisabled, onChange }: StepperProps): JSX.Element {
  // The next click may come before the changed task has been read.
  const [shown, setShown] = useState(value);
  useEffect(() => setShown(value), [value]);
  const step = async (by: number): Promise<void> => {
    if (await onChange(shown + by, shown)) setShown(shown + by);
  };
  const button = (by: number, sign: string, name: string): JSX.Element => (
    <button type="button" class="small" aria-label={name} disabled={isDisabled} onClick={() => void step(by)}>
      {sign}
    </button>
  );
  return (
    <div class="field-line" role="group" aria-label={label}>
      <span class="muted">{label}</span>
      {button(-1, '−', `Lower ${label.toLowerCase()}`)}
      <strong class="number">{shown}</strong>
      {button(1, '+', `Higher ${label.toLowerCase()}`)}
    </div>
  );
}
