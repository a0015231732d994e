import * as v from 'valibot';
import { described, number } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { viewJob } from '../../work/plan/job-status.ts';
import { listRolledBack } from '../../work/run/list-rolled-back.ts';
import { describeItem, ITEM_DETAIL } from './describe-item.ts';
import { readCurrentJob } from './follow-fleet.ts';
import { readHold } from './read-hold.ts';
import { PLACE, placesOf } from './places-of.ts';
import { jobIdParameter } from './work-schemas.ts';

export default defineRead({
  path: 'work status',
  summary: 'Show the progress of a job',
  params: {
    id: jobIdParameter,
    detail: described(
      v.optional(v.boolean(), false),
      'Also show the tree of the job, and the agent, title, dependencies, times and cost of each item',
    ),
  },
  positionals: ['id'],
  output: v.object({
    job_id: v.string(),
    status: v.picklist(['pending', 'running', 'succeeded', 'failed', 'cancelled']),
    progress: number(),
    eta_seconds: v.nullable(number()),
    root: v.optional(v.string()),
    branch: v.optional(v.string()),
    queue: v.optional(described(v.string(), 'The queue of a job that workers run')),
    items: v.array(
      v.object({
        item_id: v.string(),
        run_id: v.nullable(v.string()),
        status: v.string(),
        refused: v.optional(
          described(v.string(), 'Why the approval of an item that waits again was not accepted'),
        ),
        ...v.partial(v.object(PLACE)).entries,
        ...v.partial(v.object(ITEM_DETAIL)).entries,
      }),
    ),
    waiting: v.array(v.string()),
    lost: v.boolean(),
    held: v.optional(
      described(v.string(), 'Why a job in a queue cannot continue at present, and what to do'),
    ),
    created_at: v.string(),
    ended_at: v.nullable(v.string()),
    result: v.string(),
    resume: v.nullable(v.string()),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['items[].title', 'items[].last_line', 'held'],
  examples: [
    'work status job_6a2x74g09zy4f',
    'work status --id job_6a2x74g09zy4f --compact',
    'work status job_6a2x74g09zy4f --detail',
  ],
  errors: ['E_NOT_FOUND', 'E_DAMAGED', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN'],
  run: async ({ id, detail }, context) => {
    const { home, system, tool } = context;
    const job = await readCurrentJob(id, context);
    const places = await placesOf(job, context);
    const now = system.clock.now();
    const { status, progress, etaSeconds, items, waiting, driverExited } = viewJob(home.path, job, now);
    const rolledBack = detail ? listRolledBack(home.path) : new Set<string>();
    const open = status === 'cancelled' || status === 'pending' || driverExited;
    return {
      job_id: job.id,
      status,
      progress,
      eta_seconds: etaSeconds,
      ...(detail && {
        root: job.root,
        ...(job.branch !== undefined && { branch: job.branch }),
        ...(job.fleet !== undefined && { queue: job.fleet.queue }),
      }),
      items: items.map(({ id: item, state }) => ({
        item_id: item,
        run_id: state.runId ?? places.get(item)?.runId ?? null,
        status: state.status,
        ...('step' in state && state.step && { step: state.step }),
        ...('refused' in state && state.refused && { refused: state.refused }),
        ...places.get(item)?.place,
        ...(detail && describeItem(home.path, job, item, { nowMs: now, rolledBack })),
      })),
      waiting: [...waiting],
      lost: driverExited,
      ...(await readHold(job, context)),
      created_at: job.createdAt,
      ended_at: job.endedAt ?? null,
      result: `${tool.name} work result --id ${job.id}`,
      resume: open ? `${tool.name} work run --resume ${job.id}` : null,
    };
  },
});
