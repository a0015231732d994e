import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { write } from '../base/api.ts';
import { useAction } from '../base/use-action.ts';
import type { Task } from '../base/use-tasks.ts';
import { announce } from './announcement.tsx';
import { Failure } from './notice.tsx';

/** The title and the description of a task; a button changes them. */
export function TaskText({
  task,
  isEditable,
}: {
  readonly task: Task;
  readonly isEditable: boolean;
}): JSX.Element {
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <TaskEditor task={task} onClose={() => setEditing(false)} />;
  return (
    <>
      <div class="title-line">
        <h2 class="task-title">{task.title}</h2>
        {isEditable && (
          <button type="button" class="small" onClick={() => setEditing(true)}>
            Edit
          </button>
        )}
      </div>
      {task.description !== '' && <p class="task-description">{task.description}</p>}
    </>
  );
}

function TaskEditor({ task, onClose }: { readonly task: Task; readonly onClose: () => void }): JSX.Element {
  const [title, setTitle] = useState(task.title);
  const [description, setDescription] = useState(task.description);
  const { isBusy, error, run } = useAction();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const save = async (): Promise<void> => {
    const isSaved = await run(() => write('task edit', { id: task.id, title: title.trim(), description }));
    if (!isSaved) return;
    announce('Saved');
    onClose();
  };
  return (
    <div class="form">
      <label>
        Title
        <input
          ref={input}
          type="text"
          value={title}
          onInput={({ currentTarget }) => setTitle(currentTarget.value)}
        />
      </label>
      <label>
        Description
        <textarea
          rows={5}
          value={description}
          onInput={({ currentTarget }) => setDescription(currentTarget.value)}
        />
      </label>
      {error !== undefined && <Failure error={error} />}
      <div class="decision-buttons">
        <button
          type="button"
          class="primary"
          disabled={isBusy || title.trim() === ''}
          onClick={() => void save()}
        >
          Save
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </div>
  );
}
