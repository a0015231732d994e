import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { write } from '../base/api.ts';
import { blocking, moveTask } from '../base/move-task.ts';
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
      <Stepper
        label="Priority"
        value={task.priority}
        isDisabled={isBusy}
        onChange={(priority) => void run(() => write('task set-priority', { id: task.id, priority }))}
      />
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
  readonly onChange: (value: number) => void;
}

function Stepper({ label, value, isDisabled, onChange }: StepperProps): JSX.Element {
  const button = (step: number, sign: string, name: string): JSX.Element => (
    <button
      type="button"
      class="small"
      aria-label={name}
      disabled={isDisabled}
      onClick={() => onChange(value + step)}
    >
      {sign}
    </button>
  );
  return (
    <div class="field-line" role="group" aria-label={label}>
      <span class="muted">{label}</span>
      {button(-1, '−', `Lower ${label.toLowerCase()}`)}
      <strong class="number">{value}</strong>
      {button(1, '+', `Higher ${label.toLowerCase()}`)}
    </div>
  );
}
