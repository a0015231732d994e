import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { write } from '../base/api.ts';
import { columnOf } from '../base/task-board.ts';
import { useAction } from '../base/use-action.ts';
import type { Task } from '../base/use-tasks.ts';
import { Glyph } from './glyph.tsx';
import { Failure } from './notice.tsx';
import { TextField } from './text-field.tsx';

interface TaskDependenciesProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly byId: ReadonlyMap<string, Task>;
  readonly hrefOf: (id: string) => string;
  readonly isEditable: boolean;
}

const MAX_SUGGESTIONS = 100;

/** What a task waits for, and what waits for it. */
export function TaskDependencies(props: TaskDependenciesProps): JSX.Element {
  const { task, tasks, byId, hrefOf, isEditable } = props;
  const { error, run } = useAction();
  const before = (task.depends_on ?? []).flatMap((id) => byId.get(id) ?? []);
  const after = useMemo(
    () => tasks.filter(({ depends_on }) => depends_on?.includes(task.id) === true),
    [tasks, task.id],
  );
  const candidates = useMemo(
    () =>
      tasks
        .filter(({ id, status }) => id !== task.id && status !== 'completed')
        .slice(0, MAX_SUGGESTIONS)
        .map(({ id, title }) => `${id} ${title}`),
    [tasks, task.id],
  );
  const remove = (id: string): Promise<boolean> =>
    run(() => write('task remove-dep', { id: task.id, depends_on: id }));
  const add = (text: string): Promise<boolean> =>
    run(() => write('task add-dep', { id: task.id, depends_on: text.split(' ', 1)[0] ?? '' }));
  return (
    <>
      {before.length > 0 && <h3 class="task-heading">Waits for</h3>}
      <ul class="task-links">
        {before.map((other) => (
          <li key={other.id}>
            <TaskLink task={other} href={hrefOf(other.id)} />
            {isEditable && (
              <button
                type="button"
                class="small"
                aria-label={`Remove the dependency on ${other.title}`}
                onClick={() => void remove(other.id)}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {isEditable && (
        <TextField
          label="Depends on"
          button="Add"
          suggestions={candidates}
          onSubmit={(text) => void add(text)}
        />
      )}
      {error !== undefined && <Failure error={error} />}
      {after.length > 0 && <h3 class="task-heading">Others that wait for it</h3>}
      <ul class="task-links">
        {after.map((other) => (
          <li key={other.id}>
            <TaskLink task={other} href={hrefOf(other.id)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function TaskLink({ task, href }: { readonly task: Task; readonly href: string }): JSX.Element {
  return (
    <a href={href}>
      <Glyph state={columnOf(task).state} />
      <span class="clip">{task.title}</span>
    </a>
  );
}
