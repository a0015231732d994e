import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { changeTask } from '../base/change-task.ts';
import { useAction } from '../base/use-action.ts';
import type { Task } from '../base/use-tasks.ts';
import { announce } from './announcement.tsx';
import { TaskFailure } from './task-failure.tsx';

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

/** Only what the person changed is saved, and only if the task still has the text that they saw. */
function TaskEditor({ task, onClose }: { readonly task: Task; readonly onClose: () => void }): JSX.Element {
  const [start] = useState(task);
  const [title, setTitle] = useState(task.title);
  const [description, setDescription] = useState(task.description);
  const { isBusy, error, run } = useAction();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const save = async (seen: Task): Promise<void> => {
    const changes = {
      ...(title.trim() !== start.title && { title: title.trim(), expected_title: seen.title }),
      ...(description !== start.description && { description, expected_description: seen.description }),
    };
    const isSaved =
      Object.keys(changes).length === 0 ||
      (await run(() => changeTask('task edit', { id: task.id, ...changes })));
    if (!isSaved) return;
    announce('Saved');
    onClose();
  };
  const isChanged = task.title !== start.title || task.description !== start.description;
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
      {error !== undefined && <TaskFailure error={error}>Your text is not saved.</TaskFailure>}
      {error !== undefined && isChanged && (
        <div class="note">
          <p>
            It is now: <strong>{task.title}</strong>
          </p>
          {task.description !== '' && <p class="task-description">{task.description}</p>}
          <button type="button" class="small" disabled={isBusy} onClick={() => void save(task)}>
            Replace it with mine
          </button>
        </div>
      )}
      <div class="decision-buttons">
        <button
          type="button"
          class="primary"
          disabled={isBusy || title.trim() === ''}
          onClick={() => void save(start)}
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
