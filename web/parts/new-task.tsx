import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { write } from '../base/api.ts';
import { useAction } from '../base/use-action.ts';
import { useKeys } from '../base/use-keys.ts';
import { announce } from './announcement.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './notice.tsx';

interface NewTaskProps {
  readonly project: string | undefined;
  readonly onCreated: (id: string) => void;
}

/** Opens the form for a new task. */
export function NewTaskButton({ project, onCreated }: NewTaskProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  useKeys({ n: () => setOpen(true) });
  return (
    <>
      <button type="button" class="primary" onClick={() => setOpen(true)}>
        New task <kbd aria-hidden="true">n</kbd>
      </button>
      {isOpen && (
        <NewTask
          project={project}
          onClose={() => setOpen(false)}
          onCreated={(id) => {
            setOpen(false);
            onCreated(id);
          }}
        />
      )}
    </>
  );
}

function NewTask({
  project,
  onCreated,
  onClose,
}: NewTaskProps & { readonly onClose: () => void }): JSX.Element {
  const [fields, setFields] = useState({ title: '', description: '', priority: '0', project: project ?? '' });
  const { isBusy, error, run } = useAction();
  const title = useRef<HTMLInputElement>(null);
  useEffect(() => title.current?.focus(), []);
  const set =
    (name: keyof typeof fields) =>
    ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
      setFields({ ...fields, [name]: currentTarget.value });
  const create = (): Promise<boolean> =>
    run(async () => {
      const { task } = await write('task create', {
        title: fields.title.trim(),
        ...(fields.description.trim() !== '' && { description: fields.description.trim() }),
        ...(fields.project.trim() !== '' && { project_id: fields.project.trim() }),
        priority: Math.trunc(Number(fields.priority)) || 0,
      });
      announce(`Created: ${task.title}`);
      onCreated(task.id);
    });
  const submit = (): void => {
    if (fields.title.trim() !== '' && !isBusy) void create();
  };
  return (
    <Dialog title="New task" onClose={onClose}>
      <div class="form">
        <label>
          Title
          <input
            ref={title}
            value={fields.title}
            onInput={set('title')}
            onKeyDown={({ key }) => {
              if (key === 'Enter') submit();
            }}
          />
        </label>
        <label>
          Description
          <textarea rows={4} value={fields.description} onInput={set('description')} />
        </label>
        <div class="form-row">
          <label>
            Priority
            <input type="number" value={fields.priority} onInput={set('priority')} />
          </label>
          <label>
            Project
            <input value={fields.project} onInput={set('project')} />
          </label>
        </div>
        {error !== undefined && <Failure error={error} />}
        <button
          type="button"
          class="primary"
          disabled={isBusy || fields.title.trim() === ''}
          onClick={submit}
        >
          Create task
        </button>
      </div>
    </Dialog>
  );
}
