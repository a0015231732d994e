import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { readFolderTrust, recordTrust, removeTrust, type FolderTrust } from '../../config/folder-trust.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { refusedToken } from '../../contract/confirm-token.ts';
import { folderFile } from '../command-settings.ts';

export default defineWrite({
  path: 'config trust',
  summary: "Trust a folder's configuration",
  description:
    "Trusts a folder's configuration file with its current content: .deed.json sets settings, .ai-agent.json, together with the .ai-agent.env next to it, defines providers and tools of agents",
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
    files: v.array(v.string()),
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
    const trusts = readTrusts(context, folder, file);
    const [named] = trusts;
    const problem = trusts.find((trust) => trust.problem !== undefined)?.problem;
    if (problem !== undefined && !revoke) throw problem;
    if (named.hash === null && !revoke) {
      throw new Fault('E_NOT_FOUND', `${named.file} does not exist.`, {
        hint: 'Name a folder that has this file.',
        details: { path: named.file },
      });
    }
    return {
      changes: trusts.map((trust) => ({
        action: revoke ? 'revoke' : 'trust',
        resource: 'folder configuration',
        id: trust.file,
        before: { state: trust.state },
        after: { state: revoke ? 'untrusted' : 'trusted' },
        version: trust.hash,
      })),
      trusts,
    };
  },
  run: async ({ revoke }, { home }, { trusts }) => {
    for (const trust of trusts) {
      if (revoke) await removeTrust(home.path, trust.file);
      else await recordUnchanged(home.path, trust);
    }
    const [{ file, hash }] = trusts;
    return { file, trusted: !revoke, hash, files: trusts.map((trust) => trust.file) };
  },
});

/** Reads whether a file is trusted. For `.ai-agent.json`, also the file of variables next to it: an agent uses neither file without the other. */
function readTrusts(
  context: CommandContext,
  folder: string,
  file: string | undefined,
): [FolderTrust, ...FolderTrust[]] {
  const read = (name: string | undefined): FolderTrust =>
    readFolderTrust(context.home.path, folderFile(context, folder, name));
  const variables = file === '.ai-agent.json' ? [read('.ai-agent.env')] : [];
  return [read(file), ...variables.filter(({ state }) => state !== 'none')];
}

async function recordUnchanged(homePath: string, { file, hash }: FolderTrust): Promise<void> {
  const now = readFolderTrust(homePath, file);
  if (now.hash === null || now.hash !== hash)
    throw refusedToken('changed', `${file} changed since the plan was made.`);
  await recordTrust(homePath, file, now.hash);
}
