import type { JSX } from 'preact';
import type { CallError } from '../base/api.ts';
import { callerName } from '../base/format.ts';
import { earlierMove } from '../base/move-task.ts';
import { Failure } from './notice.tsx';
import { Age } from './time.tsx';

/** Why a change of a task failed; if another one was faster, who that was and what they did. */
export function TaskFailure({ error }: { readonly error: CallError }): JSX.Element {
  const earlier = earlierMove(error);
  if (earlier === undefined) return <Failure error={error} />;
  return (
    <div class="failure" role="alert">
      <p>
        <strong>
          {earlier.by === undefined ? 'The task was moved' : `${callerName(earlier.by)} moved the task`} to{' '}
          {earlier.label}
          {earlier.at !== undefined && (
            <>
              {' '}
              <Age at={earlier.at} />
            </>
          )}
          .
        </strong>{' '}
        Your move changed nothing.
      </p>
    </div>
  );
}
