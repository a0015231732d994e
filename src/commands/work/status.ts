import * as v from 'valibot';
import { number } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { readJob } from '../../work/plan/job.ts';
import { viewJob } from '../../work/plan/job-status.ts';
import { jobIdParameter } from './work-schemas.ts';

export default defineRead({
  path: 'work status',
  summary: 'Show the progress of a job',
  params: { id: jobIdParameter },
  positionals: ['id'],
  output: v.object({
    job_id: v.string(),
    status: v.picklist(['pending', 'running', 'succeeded', 'failed', 'cancelled']),
    progress: number(),
    eta_seconds: v.nullable(number()),
    items: v.array(v.object({ item_id: v.string(), run_id: v.nullable(v.string()), status: v.string() })),
    waiting: v.array(v.string()),
    lost: v.boolean(),
    created_at: v.string(),
    ended_at: v.nullable(v.string()),
    result: v.string(),
    resume: v.nullable(v.string()),
  }),
  examples: ['work status job_6a2x74g09zy4f', 'work status --id job_6a2x74g09zy4f --compact'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: async ({ id }, { home, system, tool }) => {
    const job = readJob(home.path, id);
    const { status, progress, etaSeconds, items, waiting, lost } = viewJob(
      home.path,
      job,
      system.clock.now(),
    );
    const open = status === 'cancelled' || status === 'pending' || lost;
    return {
      job_id: job.id,
      status,
      progress,
      eta_seconds: etaSeconds,
      items: items.map(({ id: item, state }) => ({
        item_id: item,
        run_id: state.runId ?? null,
        status: state.status,
      })),
      waiting: [...waiting],
      lost,
      created_at: job.createdAt,
      ended_at: job.endedAt ?? null,
      result: `${tool.name} work result --id ${job.id}`,
      resume: open ? `${tool.name} work run --resume ${job.id}` : null,
    };
  },
});
