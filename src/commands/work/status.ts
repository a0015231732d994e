import * as z from '../../base/schema/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { readJob } from '../../work/plan/job.ts';
import { viewJob } from '../../work/plan/job-status.ts';
import { jobIdParameter } from './work-schemas.ts';

export default defineRead({
  path: 'work status',
  summary: 'Show how far a job is',
  params: { id: jobIdParameter },
  positionals: ['id'],
  output: z.object({
    job_id: z.string(),
    status: z.enum(['pending', 'running', 'succeeded', 'failed', 'cancelled']),
    progress: z.number(),
    eta_seconds: z.nullable(z.number()),
    items: z.array(z.object({ item_id: z.string(), run_id: z.nullable(z.string()), status: z.string() })),
    waiting: z.array(z.string()),
    lost: z.boolean(),
    created_at: z.string(),
    ended_at: z.nullable(z.string()),
    result: z.string(),
    resume: z.nullable(z.string()),
  }),
  examples: [
    'work status job_0123456789ab0123456789ab',
    'work status --id job_0123456789ab0123456789ab --compact',
  ],
  errors: ['E_NOT_FOUND', 'E_INTEGRITY'],
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
