import * as v from 'valibot';
import { applySetupUndo, changesOf, planSetupUndo } from '../../app/setup/set-up.ts';
import { SETUP_HOSTS } from '../../app/setup/setup-part.ts';
import { defineWrite } from '../../contract/command.ts';
import { CHANGED_FILES, HOSTS_PARAMETER } from './setup-parameters.ts';

export default defineWrite({
  path: 'setup undo',
  summary: 'Remove what setup added, and restore the files of coding agents byte for byte',
  description:
    'If a file was changed since, those changes stay; only our entries are removed. Recorded sessions stay in the home',
  params: { hosts: HOSTS_PARAMETER },
  positionals: ['hosts'],
  output: v.object({ changed: CHANGED_FILES, replayed: v.optional(v.literal(true)) }),
  examples: ['setup undo --dry-run', 'setup undo --confirm <token>', 'setup undo codex --dry-run'],
  errors: ['E_CONFLICT', 'E_CONFIG', 'E_FORBIDDEN', 'E_DAMAGED'],
  plan: async ({ hosts = SETUP_HOSTS }, context) => {
    const plan = planSetupUndo(hosts, context);
    return { ...plan, changes: changesOf(plan, true) };
  },
  run: async ({ hosts = SETUP_HOSTS }, context, plan) => {
    const done = await applySetupUndo(hosts, plan, context);
    return { changed: done.map(({ action, id }) => ({ action, path: id })) };
  },
});
