import * as v from 'valibot';
import { described } from '../../../base/schema.ts';
import { triageOf } from '../../../app/open-triage.ts';
import { defineWrite } from '../../../contract/command.ts';
import { answer } from '../triage-schemas.ts';
import { nameParameter } from './name-parameter.ts';

export default defineWrite({
  path: 'triage protect add',
  summary: 'Protect processes with this name from every action of triage',
  description: 'Adds to the built-in list; the built-in names stay protected',
  params: {
    name: nameParameter,
    reason: described(
      v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
      'Why it is protected',
    ),
  },
  positionals: ['name'],
  output: answer({ name: v.string(), replayed: v.optional(v.literal(true)) }),
  untrusted: ['name'],
  examples: [
    'triage protect add my-server.js --dry-run',
    'triage protect add my-server.js --reason "serves the team" --confirm <token>',
  ],
  errors: ['E_CONFIG'],
  plan: async ({ name, reason }, context) => {
    const { protected: entries, version } = await triageOf(context).protections();
    const known = entries.find((entry) => entry.name === name);
    return {
      changes: [
        {
          action: 'add',
          resource: 'protected_name',
          id: name,
          before: known === undefined ? null : { name: known.name, reason: known.reason },
          after: { name, reason: known?.reason ?? reason ?? null },
          version,
        },
      ],
    };
  },
  run: ({ name, reason }, context) => triageOf(context).protect(name, reason),
});
