import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { printable } from '../../base/text.ts';
import { defineRead } from '../../contract/command.ts';
import { describeRun } from '../../work/run/describe-run.ts';
import { findRunElsewhere } from './find-run-elsewhere.ts';
import { loadWork } from './load-work.ts';
import { statusOf } from './show-elsewhere.ts';
import { runIdParameter } from './work-schemas.ts';

const file = v.object({
  path: v.string(),
  action: v.picklist(['create', 'modify', 'delete']),
  type: v.picklist(['file', 'symlink', 'dir']),
  added: v.nullable(int()),
  deleted: v.nullable(int()),
  omitted: v.optional(v.string()),
});

export default defineRead({
  path: 'work diff',
  summary:
    'Show the changes of a run as a unified diff, whether it was promoted, denied or waits for approval',
  description:
    'Secrets are masked. The diff of a run that was not promoted is available for retention.replay_days. A comment before the diff names each file whose change it does not show, or not completely. For a run on another host, the diff shows the commit that the run delivered.',
  params: {
    id: runIdParameter,
    path: described(v.optional(v.array(v.string())), 'Only these files or folders'),
    stat: described(v.optional(v.boolean(), false), 'Only the number of added and deleted lines'),
  },
  positionals: ['id'],
  output: v.object({
    run_id: v.string(),
    status: v.string(),
    files: v.array(file),
    added: int(),
    deleted: int(),
    diff: v.optional(v.string()),
    truncated: v.optional(v.literal(true)),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['diff', 'files[].path'],
  examples: [
    'work diff 6a2x74g1 --format raw',
    'work diff run_6a2x74g1q2w8d --stat',
    'work diff 6a2x74g1 --path src/a.ts',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_DAMAGED', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN'],
  run: async ({ id, path, stat }, context) => {
    const { diffRun, openWorkContext } = await loadWork();
    const work = openWorkContext(context);
    const elsewhere = await findRunElsewhere(id, context);
    const { files, text, truncated } =
      elsewhere === undefined
        ? await diffRun(work, id, path)
        : await (await import('./diff-elsewhere.ts')).diffElsewhere(elsewhere, work, path);
    const sum = (side: 'added' | 'deleted'): number =>
      files.reduce((all, entry) => all + (entry[side] ?? 0), 0);
    return {
      run_id: id,
      status:
        elsewhere === undefined
          ? (describeRun(context.home.path, id)?.status ?? '')
          : statusOf(elsewhere.state),
      files: [...files],
      added: sum('added'),
      deleted: sum('deleted'),
      ...(!stat && { diff: text, ...(truncated && { truncated: true as const }) }),
    };
  },
  renderText: (data, paint) => {
    if (data.diff === undefined) return renderStat(data);
    const lines = printable(data.diff).split('\n');
    return lines
      .map((line) => {
        if (line.startsWith('+')) return paint.green(line);
        if (line.startsWith('-')) return paint.red(line);
        return line.startsWith('diff --git ') ? paint.bold(line) : line;
      })
      .join('\n');
  },
  renderRaw: ({ diff, ...data }) => diff ?? renderStat(data),
});

interface Stat {
  readonly files: readonly v.InferOutput<typeof file>[];
  readonly added: number;
  readonly deleted: number;
}

function renderStat({ files, added, deleted }: Stat): string {
  const rows = files.map(({ path, action, added: plus, deleted: minus, omitted }) => {
    const lines = plus === null || minus === null ? (omitted ?? 'binary') : `+${plus} -${minus}`;
    return ` ${action.padEnd(6)} ${printable(path).replaceAll('\n', '\uFFFD')}  ${lines}\n`;
  });
  return `${rows.join('')} ${files.length} files, +${added} -${deleted}\n`;
}
