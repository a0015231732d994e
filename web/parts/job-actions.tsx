import type { JSX } from 'preact';
import type { Reads } from '../base/commands.ts';
import { planWrite, type PlannedWrite } from '../base/planned-write.ts';
import { session } from '../base/session.ts';
import { PlannedButton } from './planned-button.tsx';

type Job = Reads['work status']['output'];

interface JobActionsProps {
  readonly job: Job;
  readonly onChanged: () => void;
}

/** Continues a job that stopped, or cancels one that runs; each after its dry run. */
export function JobActions({ job, onChanged }: JobActionsProps): JSX.Element | null {
  const action = actionFor(job);
  if (action === undefined || session.value?.read_only !== false) return null;
  return <PlannedButton key={action.label} {...action} onDone={onChanged} />;
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
