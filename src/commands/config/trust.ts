import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { readTrust, recordTrust, removeTrust } from '../../config/folder-trust.ts';
import { defineWrite } from '../../contract/command.ts';
import { refused } from '../../contract/confirm-token.ts';
import { folderFile } from '../command-settings.ts';

export default defineWrite({
  path: 'config trust',
  summary: "Let a folder's own configuration count",
  description:
    'Records that a configuration of a folder, with the content it has now, may be obeyed: .deed.json changes settings, .ai-agent.json brings providers and tools of agents',
  params: {
    folder: described(v.optional(v.string(), '.'), 'The folder'),
    file: described(
      v.optional(v.picklist(['.ai-agent.json', '.ai-agent.env'])),
      "Another file than the tool's own",
    ),
    revoke: described(v.optional(v.boolean(), false), 'Take the trust back'),
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
      throw new Fault('E_NOT_FOUND', `There is no ${trust.file}.`, {
        hint: 'There is nothing to trust in this folder.',
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
