import * as v from 'valibot';
import { defineWrite } from '../../contract/command.ts';
import { cancelJob, requireUnended } from '../../work/plan/cancel-job.ts';
import { viewJob } from '../../work/plan/job-status.ts';
import { readCurrentJob } from './follow-fleet.ts';
import { jobIdParameter } from './work-schemas.ts';

export default defineWrite({
  path: 'work cancel',
  summary:
    'Cancel a job that runs or whose process exited; unfinished runs are discarded, finished runs stay',
  params: { id: jobIdParameter },
  positionals: ['id'],
  output: v.object({
    job_id: v.string(),
    status: v.picklist(['pending', 'running', 'succeeded', 'failed', 'cancelled']),
    resume: v.string(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['work cancel job_6a2x74g09zy4f --dry-run', 'work cancel job_6a2x74g09zy4f --confirm <token>'],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_TIMEOUT', 'E_DAMAGED', 'E_CONFIG', 'E_NETWORK'],
  plan: async ({ id }, context) => {
    const { home } = context;
    const { fleet } = await readCurrentJob(id, context);
    if (fleet !== undefined)
      return {
        changes: [{ action: 'cancel', resource: 'job', id, version: `${fleet.queue} ${fleet.round}` }],
      };
    const { owner } = requireUnended(home.path, id);
    return { changes: [{ action: 'cancel', resource: 'job', id, version: owner.startedAt }] };
  },
  run: async ({ id }, context) => {
    const { home, system, tool } = context;
    const { fleet } = await readCurrentJob(id, context);
    const job =
      fleet === undefined
        ? await cancelJob(home.path, id)
        : await (await import('./cancel-on-queue.ts')).cancelOnQueue(id, context);
    const { status } = viewJob(home.path, job, system.clock.now());
    return { job_id: id, status, resume: `${tool.name} work run --resume ${id}` };
  },
});
