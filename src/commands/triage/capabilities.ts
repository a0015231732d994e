import * as v from 'valibot';
import { int, number } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage capabilities',
  summary: 'Show what this machine and account support',
  params: {},
  output: answer({
    platform: v.object({
      proc: v.boolean(),
      pidfd: v.boolean(),
      cgroup: v.picklist(['v2', 'v1', 'none']),
      cgroup_writable: v.boolean(),
      hidepid: v.string(),
    }),
    account: v.object({ user_id: v.string(), may_name_other_users: v.boolean() }),
    actions: v.array(v.string()),
    classes: v.array(v.string()),
    gates: v.array(v.string()),
    supervisors: v.array(v.object({ type: v.string(), available: v.boolean() })),
    parameters_version: v.string(),
    budget: v.object({ alpha_wealth: number(), kills_left_today: int(), refilled_at: v.string() }),
    data_folder: v.string(),
  }),
  examples: ['triage capabilities'],
  errors: ['E_CONFIG'],
  run: (_params, context) => triageOf(context).capabilities(context.system.env.PATH ?? ''),
});
