import * as v from 'valibot';
import { triageOf } from '../../../app/open-triage.ts';
import { defineWrite } from '../../../contract/command.ts';
import { answer } from '../triage-schemas.ts';
import { nameParameter } from './name-parameter.ts';

export default defineWrite({
  path: 'triage protect remove',
  summary: 'Remove a protected name that was added with "triage protect add"',
  description: 'Built-in names and names of the parameters file cannot be removed',
  params: { name: nameParameter },
  positionals: ['name'],
  output: answer({ name: v.string(), replayed: v.optional(v.literal(true)) }),
  untrusted: ['name'],
  examples: [
    'triage protect remove my-server.js --dry-run',
    'triage protect remove my-server.js --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_PROTECTED', 'E_CONFIG'],
  plan: async ({ name }, context) => {
    const triage = triageOf(context);
    const { reason } = await triage.requireProtected(name);
    const { version } = await triage.protections();
    return {
      changes: [
        {
          action: 'remove',
          resource: 'protected_name',
          id: name,
          before: { name, reason },
          after: null,
          version,
        },
      ],
    };
  },
  run: ({ name }, context) => triageOf(context).unprotect(name),
});
