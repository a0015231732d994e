import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { write } from '../base/api.ts';
import { TARGETS, type TaskStatus } from '../base/task-board.ts';
import { useAction } from '../base/use-action.ts';
import { useKeys } from '../base/use-keys.ts';
import type { Task } from '../base/use-tasks.ts';
import { announce } from './announcement.tsx';
import { Failure } from './notice.tsx';
import { TextField } from './text-field.tsx';

interface TaskActionsProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
}

/** Moves a task, assigns it to an agent, changes its priority. */
export function TaskActions({ task, tasks }: TaskActionsProps): JSX.Element {
  const [isBlocking, setBlocking] = useState(false);
  const group = useRef<HTMLDivElement>(null);
  const { isBusy, error, run } = useAction();
  useKeys({ m: () => group.current?.querySelector<HTMLElement>('button:not(:disabled)')?.focus() });
  const move = async (status: TaskStatus, reason?: string): Promise<void> => {
    const isMoved = await run(() => moveTask(task.id, status, reason));
    if (isMoved) setBlocking(false);
  };
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
            onClick={() => (status === 'blocked' ? setBlocking(true) : void move(status))}
          >
            {label}
          </button>
        ))}
      </div>
      {isBlocking && (
        <TextField
          label="Why is it blocked?"
          button="Block"
          isFocused
          onSubmit={(reason) => void move('blocked', reason)}
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
      {error !== undefined && <Failure error={error} />}
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

/** Sets the status of a task, and says so. */
export async function moveTask(id: string, status: TaskStatus, reason?: string): Promise<void> {
  await write('task set-status', { id, status, ...(reason !== undefined && { blocked_reason: reason }) });
  announce(`Moved to ${TARGETS.find((target) => target.status === status)?.label ?? status}`);
}
