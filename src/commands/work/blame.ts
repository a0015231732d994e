import { resolve } from 'node:path';
import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { loadWork } from './load-work.ts';

export default defineRead({
  path: 'work blame',
  summary: 'Show which run wrote each line of a file',
  description:
    'The run of a line is named by the trailer of its commit, also after an amend, rebase, squash or cherry-pick; without a trailer, by the ' +
    'lines that runs recorded; otherwise it is "unknown". Read-only.',
  params: {
    file: described(v.pipe(v.string(), v.minLength(1)), 'File, or <file>:<line> for one line'),
  },
  positionals: ['file'],
  output: v.object({
    root: v.string(),
    path: v.string(),
    lines: v.array(
      v.object({
        line: int(),
        run_id: v.nullable(v.string()),
        by: v.picklist(['trailer', 'lines', 'unknown']),
        commit: v.nullable(v.string()),
        text: v.string(),
      }),
    ),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['lines[].text'],
  examples: ['work blame src/login.ts', 'work blame src/login.ts:42'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: async ({ file }, context) => {
    const { blameLines, openWorkContext, readBlamedFile } = await loadWork();
    const work = openWorkContext(context);
    const request = await readBlamedFile(work, resolve(context.system.cwd, file));
    const lines = await blameLines(work, request);
    const { root, path } = request;
    return {
      root,
      path,
      lines: lines.map(({ line, run_id, by, commit, text }) => ({ line, run_id, by, commit, text })),
    };
  },
  renderRaw: ({ lines }) =>
    lines.map(({ line, run_id, text }) => `${run_id ?? 'unknown'}\t${line}\t${text}\n`).join(''),
});
