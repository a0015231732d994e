import * as v from 'valibot';
import { withQueue } from '../../app/fleet/with-queue.ts';
import { described, int } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import type { ItemRecord, ItemStep } from '../../work/fleet/item-record.ts';
import type { SharedJob } from '../../work/fleet/shared-jobs.ts';
import { isFinalRecord } from '../../work/fleet/item-record.ts';
import { describeLive, PLACE } from './places-of.ts';
import { hostOf, listLive, type LiveItem } from './find-run-elsewhere.ts';

const MAX_JOBS = 100;
const STEPS: readonly ItemStep[] = [
  'claimed',
  'result',
  'waiting',
  'requeued',
  'promoted',
  'ended',
  'cancelled',
];

export default defineRead({
  path: 'work fleet',
  summary: 'Show the jobs in the queues of the shared store, and what runs on which host',
  description:
    'Jobs of all homes that use the same store, the newest first. "work status" shows one of them, even if another home submitted it. Items are counted by the last step in their refs; an item without a step is pending in its queue',
  params: {
    all: described(v.optional(v.boolean(), false), 'Also list jobs that have ended or were cancelled'),
    limit: described(
      v.optional(v.pipe(int(), v.minValue(1), v.maxValue(MAX_JOBS)), 20),
      `Maximum number of jobs, up to ${MAX_JOBS}`,
    ),
  },
  output: v.object({
    jobs: v.array(
      v.object({
        job_id: v.string(),
        status: v.picklist(['running', 'ended', 'cancelled']),
        queue: v.string(),
        branch: v.string(),
        repository: v.string(),
        submitted_by: v.string(),
        created_at: v.string(),
        items: int(),
        steps: v.object({
          queued: int(),
          ...Object.fromEntries(STEPS.map((step) => [step, int()] as const)),
        }),
        running: v.array(v.object({ item_id: v.string(), run_id: v.nullable(v.string()), ...PLACE })),
        waiting: described(
          v.array(v.object({ item_id: v.string(), run_id: v.string(), host: v.string(), since: v.string() })),
          'The runs that wait for the decision of a person',
        ),
        failed: described(
          v.array(
            v.object({
              item_id: v.string(),
              run_id: v.nullable(v.string()),
              host: v.string(),
              at: v.string(),
              code: v.nullable(v.string()),
            }),
          ),
          'The items that ended without a result, with the error code of their last run',
        ),
      }),
    ),
    count: int(),
    has_more: v.boolean(),
    _untrusted: v.optional(v.array(v.string())),
  }),
  sort: 'created_at descending',
  untrusted: ['jobs[].running[].last_line'],
  examples: ['work fleet', 'work fleet --all --limit 5', 'work fleet --fields jobs.job_id,jobs.running'],
  errors: ['E_CONFIG', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN', 'E_DAMAGED'],
  run: ({ all, limit }, context) =>
    withQueue(context, async (queue) => {
      const { readSharedJobs, readSharedRecords } = await import('../../work/fleet/shared-jobs.ts');
      const live = await listLive(queue);
      const jobs: ReturnType<typeof describeJob>[] = [];
      let hasMore = false;
      for (const job of await readSharedJobs(queue.documents)) {
        hasMore = jobs.length === limit;
        if (hasMore) break;
        const found = await readSharedRecords(queue.documents, job.id, { results: false });
        const records = [...found.values()].map(({ record }) => record);
        const row = describeJob(job, records, live);
        if (all || row.status === 'running') jobs.push(row);
      }
      return { jobs, count: jobs.length, has_more: hasMore };
    }),
});

function describeJob(job: SharedJob, records: readonly ItemRecord[], live: readonly LiveItem[]) {
  const isOver = records.length === job.itemCount && records.every(isFinalRecord);
  const ended = isOver ? 'ended' : 'running';
  const status: 'running' | 'ended' | 'cancelled' = job.cancelled ? 'cancelled' : ended;
  const count = (step: ItemStep): number => records.filter((record) => record.step === step).length;
  return {
    job_id: job.id,
    status,
    queue: job.queue,
    branch: job.branch,
    repository: job.repository,
    submitted_by: job.host,
    created_at: job.createdAt,
    items: job.itemCount,
    steps: {
      queued: Math.max(0, job.itemCount - records.length),
      ...Object.fromEntries(STEPS.map((step) => [step, count(step)] as const)),
    },
    running: live
      .filter((item) => item.jobId === job.id)
      .map((item) => ({ item_id: item.itemId, run_id: item.runId ?? null, ...describeLive(item) })),
    waiting: records.flatMap(({ step, item_id, run_id, by, at }) =>
      step === 'waiting' && run_id !== undefined ? [{ item_id, run_id, host: hostOf(by), since: at }] : [],
    ),
    failed: records
      .filter(({ step }) => step === 'ended')
      .map(({ item_id, run_id = null, by, at, code = null }) => ({
        item_id,
        run_id,
        host: hostOf(by),
        at,
        code,
      })),
  };
}
