import * as v from 'valibot';
import { withQueue } from '../../app/fleet/with-queue.ts';
import { isoTime } from '../../base/clock.ts';
import { int, number } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage fleet',
  summary: 'Show what agents left running on the hosts that share the store',
  description:
    'Each worker reports a summary of its host every five minutes; age_seconds is the age of the report. Read-only: processes are terminated on their own host, with "triage plan" and "triage apply" there',
  params: {},
  output: answer({
    hosts: v.array(
      v.object({
        host: v.string(),
        worker_id: v.string(),
        reported_at: v.string(),
        age_seconds: int(),
        problem: v.nullable(v.string()),
        scanned: int(),
        left_running: int(),
        memory_mb: number(),
        to_review: int(),
        worst: v.array(
          v.object({
            pid: int(),
            age_seconds: number(),
            command: v.string(),
            memory_mb: number(),
            action: v.string(),
            reason: v.string(),
          }),
        ),
      }),
    ),
    count: int(),
  }),
  sort: 'host ascending',
  untrusted: ['hosts[].problem', 'hosts[].worst[].command', 'hosts[].worst[].reason'],
  examples: ['triage fleet', 'triage fleet --fields hosts.host,hosts.left_running,hosts.age_seconds'],
  errors: ['E_CONFIG', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN'],
  run: (_params, context) =>
    withQueue(context, async ({ documents }) => {
      const { readHostReports } = await import('../../work/fleet/host-reports.ts');
      const { clock, account } = context.system;
      const hosts = (await readHostReports(documents)).map(({ at, ageMs, ...report }) => ({
        ...report,
        reported_at: at,
        age_seconds: Math.round(ageMs / 1000),
      }));
      const generated_at = isoTime(clock.now()).replace(/\.\d+Z$/u, 'Z');
      return { session_id: null, generated_at, host_id: account.host, hosts, count: hosts.length };
    }),
});
