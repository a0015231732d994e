import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineWrite } from '../../contract/command.ts';
import { loadWork } from './load-work.ts';
import { runIdParameter } from './work-schemas.ts';

export default defineWrite({
  path: 'work commit',
  summary: 'Commit the changes of a promoted run, with its run id and receipt id as trailers',
  description:
    'Commits on the checked-out branch: HEAD moves, the index gets the paths of the run, and other staged changes stay staged. ' +
    "Rejected if the commit would contain anything other than the run's changes.",
  params: {
    id: runIdParameter,
    branch: described(
      v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
      'Commit on this branch instead; HEAD, index and files of the tree stay as they are',
    ),
  },
  positionals: ['id'],
  output: v.object({
    run_id: v.string(),
    receipt_id: v.string(),
    branch: v.nullable(v.string()),
    commit: v.string(),
    parent: v.string(),
    files: v.array(v.string()),
    replayed: v.optional(v.literal(true)),
  }),
  examples: [
    'work commit run_6a2x74g1q2w8d --dry-run',
    'work commit run_6a2x74g1q2w8d --branch deed/fix --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_CONFIG', 'E_DAMAGED', 'E_DENIED'],
  plan: async ({ id, branch }, context) => {
    const { openWorkContext, planCommit } = await loadWork();
    const commit = await planCommit(openWorkContext(context), id, branch);
    const { author, parent, changes } = commit;
    const after = {
      branch: branch ?? null,
      parent,
      author: `${author.name} <${author.email}>`,
      files: changes.map(({ path }) => path),
    };
    return { changes: [{ action: 'commit', resource: 'run', id, after, version: parent }], commit };
  },
  run: async (_params, context, { commit }) => {
    const { commitRun, openWorkContext } = await loadWork();
    const { files, ...committed } = await commitRun(openWorkContext(context), commit);
    return { ...committed, files: [...files] };
  },
});
