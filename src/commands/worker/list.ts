import * as v from 'valibot';
import { withQueue } from '../../app/fleet/with-queue.ts';
import { described, int } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { LOST_AFTER_MS } from '../../work/fleet/explain-hold.ts';
import { parseRunningItems } from '../../work/fleet/item-activity.ts';

export default defineRead({
  path: 'worker list',
  summary: 'List the workers and integrators of all hosts, and what they run',
  params: {},
  output: v.object({
    items: v.array(
      v.object({
        worker_id: v.string(),
        role: v.string(),
        queue: v.string(),
        host: v.string(),
        pid: int(),
        status: v.picklist(['working', 'idle', 'paused', 'draining', 'lost']),
        paused: described(v.nullable(v.string()), 'Why it takes no items at present'),
        running: v.array(v.string()),
        runs: v.array(
          v.object({
            job_id: v.string(),
            item_id: v.string(),
            run_id: v.nullable(v.string()),
            attempt: int(),
            since: v.string(),
            last_line: v.nullable(v.string()),
          }),
        ),
        jobs: int(),
        labels: v.array(v.string()),
        started_at: v.string(),
        seen_at: v.string(),
        age_seconds: described(int(), 'Seconds since it was last seen, by the clock of the database'),
      }),
    ),
    count: int(),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['items[].paused', 'items[].runs[].last_line'],
  examples: ['worker list', 'worker list --fields items.worker_id,items.status'],
  errors: ['E_CONFIG', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN'],
  run: (_params, context) =>
    withQueue(context, async (queue) => {
      const items = (await queue.workers())
        .map(({ id, seenAt, ageMs, startedAt, draining, running, paused, ...worker }) => ({
          worker_id: id,
          role: worker.role,
          queue: worker.queue,
          host: worker.host,
          pid: worker.pid,
          status: statusOf({ draining, running, paused, ageMs }),
          paused: paused ?? null,
          running: [...running],
          runs: parseRunningItems(worker.items).map(({ jobId, itemId, runId, attempt, since, lines }) => ({
            job_id: jobId,
            item_id: itemId,
            run_id: runId ?? null,
            attempt,
            since,
            last_line: lines.at(-1)?.text ?? null,
          })),
          jobs: worker.jobs,
          labels: [...worker.labels],
          started_at: startedAt,
          seen_at: seenAt,
          age_seconds: Math.round(ageMs / 1000),
        }))
        .sort((left, right) => left.worker_id.localeCompare(right.worker_id));
      return { items, count: items.length };
    }),
});

function statusOf({
  draining,
  running,
  paused,
  ageMs,
}: {
  readonly draining: boolean;
  readonly running: readonly string[];
  readonly paused: string | undefined;
  readonly ageMs: number;
}): 'working' | 'idle' | 'paused' | 'draining' | 'lost' {
  if (ageMs > LOST_AFTER_MS) return 'lost';
  if (draining) return 'draining';
  if (running.length > 0) return 'working';
  return paused === undefined ? 'idle' : 'paused';
}
