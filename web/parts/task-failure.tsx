import type { ComponentChildren, JSX } from 'preact';
import type { CallError } from '../base/api.ts';
import { earlierChange } from '../base/change-task.ts';
import { callerName } from '../base/format.ts';
import { Failure } from './notice.tsx';
import { Age } from './time.tsx';

interface TaskFailureProps {
  readonly error: CallError;
  /** What that means for the change of this person. */
  readonly children?: ComponentChildren;
}

/** Why a change of a task failed; if another one was faster, who that was and what they did. */
export function TaskFailure({ error, children }: TaskFailureProps): JSX.Element {
  const earlier = earlierChange(error);
  if (earlier === undefined) return <Failure error={error} />;
  return (
    <div class="failure" role="alert">
      <p>
        <strong>
          {earlier.by === undefined ? 'Another caller' : callerName(earlier.by)} {earlier.what}
          {earlier.at !== undefined && (
            <>
              {' '}
              <Age at={earlier.at} />
            </>
          )}
          .
        </strong>{' '}
        {children ?? 'Your change had no effect.'}
      </p>
    </div>
  );
}
