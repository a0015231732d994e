import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { readTrust, recordTrust, removeTrust } from '../../config/folder-trust.ts';
import { defineWrite } from '../../contract/command.ts';
import { refused } from '../../contract/confirm-token.ts';
import { folderFile } from '../command-settings.ts';

export default defineWrite({
  path: 'config trust',
  summary: "Trust a folder's configuration",
  description:
    "Trusts a folder's configuration file with its current content: .deed.json sets settings, .ai-agent.json defines providers and tools of agents",
  params: {
    folder: described(v.optional(v.string(), '.'), 'The folder'),
    file: described(
      v.optional(v.picklist(['.ai-agent.json', '.ai-agent.env'])),
      'Trust this file instead of .deed.json',
    ),
    revoke: described(v.optional(v.boolean(), false), 'Remove the trust'),
  },
  positionals: ['folder'],
  output: v.object({
    file: v.string(),
    trusted: v.boolean(),
    hash: v.nullable(v.string()),
    replayed: v.optional(v.literal(true)),
  }),
  examples: [
    'config trust . --dry-run',
    'config trust . --confirm <token>',
    'config trust . --revoke --dry-run',
    'config trust . --file .ai-agent.json --dry-run',
  ],
  errors: ['E_NOT_FOUND'],
  plan: async ({ folder, file, revoke }, context) => {
    const trust = readTrust(context.home.path, folderFile(context, folder, file));
    if (trust.problem !== undefined && !revoke) throw trust.problem;
    if (trust.hash === null && !revoke) {
      throw new Fault('E_NOT_FOUND', `${trust.file} does not exist.`, {
        hint: 'Name a folder that has this file.',
        details: { path: trust.file },
      });
    }
    return {
      changes: [
        {
          action: revoke ? 'revoke' : 'trust',
          resource: 'folder configuration',
          id: trust.file,
          before: { state: trust.state },
          after: { state: revoke ? 'untrusted' : 'trusted' },
          version: trust.hash,
        },
      ],
      trust,
    };
  },
  run: async ({ revoke }, { home }, { trust }) => {
    if (revoke) await removeTrust(home.path, trust.file);
    else {
      const now = readTrust(home.path, trust.file);
      if (now.hash === null || now.hash !== trust.hash)
        throw refused('changed', `${trust.file} changed since the plan was made.`);
      await recordTrust(home.path, trust.file, now.hash);
    }
    return { file: trust.file, trusted: !revoke, hash: trust.hash };
  },
});
