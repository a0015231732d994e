import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CallError } from '../base/api.ts';
import type { Reads } from '../base/commands.ts';
import { planWrite, type PlannedWrite } from '../base/planned-write.ts';
import { noteFailure, session } from '../base/session.ts';
import { announce } from './announcement.tsx';
import { ChangeList } from './change-list.tsx';
import { Failure } from './notice.tsx';

type Job = Reads['work status']['output'];

interface JobActionsProps {
  readonly job: Job;
  readonly onChanged: () => void;
}

/** Continues a job that stopped, or cancels one that runs; each after its dry run. */
export function JobActions({ job, onChanged }: JobActionsProps): JSX.Element | null {
  const [step, setStep] = useState<PlannedWrite | CallError | 'busy'>();
  const action = actionFor(job);
  if (action === undefined || session.value?.read_only !== false) return null;
  const attempt = async (next: () => Promise<PlannedWrite | undefined>): Promise<void> => {
    setStep('busy');
    try {
      setStep(await next());
    } catch (error) {
      setStep(noteFailure(error));
    }
  };
  const apply = async (planned: PlannedWrite): Promise<undefined> => {
    await planned.confirm();
    announce(action.done);
    onChanged();
  };
  return (
    <>
      <button type="button" disabled={step === 'busy'} onClick={() => void attempt(action.plan)}>
        {action.label}
      </button>
      {typeof step === 'object' && (
        <div class="decision wide" role="group" aria-label={action.label}>
          {step instanceof Error ? (
            <Failure error={step} />
          ) : (
            <>
              <ChangeList changes={step.preview.changes} />
              <div class="decision-buttons">
                <button type="button" class="primary" onClick={() => void attempt(() => apply(step))}>
                  Confirm: {action.label.toLowerCase()}
                </button>
                <button type="button" onClick={() => setStep(undefined)}>
                  Cancel
                </button>
              </div>
            </>
          )}
        </div>
      )}
    </>
  );
}

interface JobAction {
  readonly label: string;
  readonly done: string;
  readonly plan: () => Promise<PlannedWrite>;
}

function actionFor({ job_id: id, status, resume, waiting, items }: Job): JobAction | undefined {
  if (status === 'running')
    return { label: 'Cancel job', done: 'Cancelled', plan: () => planWrite('work cancel', { id }) };
  const isUnfinished = items.some((item) => item.status === 'pending' || item.status === 'ready');
  if (waiting.length > 0 || (resume === null && !isUnfinished)) return undefined;
  return {
    label: 'Continue job',
    done: 'The job continues',
    plan: () => planWrite('work run', { resume: id, detach: true }),
  };
}
