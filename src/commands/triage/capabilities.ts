import * as z from '../../base/schema/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage capabilities',
  summary: 'Tell what this machine and account allow',
  params: {},
  output: answer(() => ({
    platform: z.object({
      proc: z.boolean(),
      pidfd: z.boolean(),
      cgroup: z.enum(['v2', 'v1', 'none']),
      cgroup_writable: z.boolean(),
      hidepid: z.string(),
    }),
    account: z.object({ user_id: z.string(), may_name_other_users: z.boolean() }),
    actions: z.array(z.string()),
    classes: z.array(z.string()),
    gates: z.array(z.string()),
    supervisors: z.array(z.object({ type: z.string(), available: z.boolean() })),
    parameters_version: z.string(),
    budget: z.object({ alpha_wealth: z.number(), kills_left_today: z.int(), refilled_at: z.string() }),
    data_folder: z.string(),
  })),
  examples: ['triage capabilities'],
  errors: ['E_CONFIG'],
  run: (_params, context) => triageOf(context).capabilities(context.system.env.PATH ?? ''),
});
