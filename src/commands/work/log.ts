import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { printable } from '../../base/text.ts';
import { defineStream, type CommandContext } from '../../contract/command.ts';
import type { RunLogLine } from '../../work/plan/follow-log.ts';
import { loadWork } from './load-work.ts';
import type { RunElsewhere } from './find-run-elsewhere.ts';
import { readCurrentJob } from './follow-fleet.ts';
import { runOrJobId } from './work-ids.ts';

export default defineStream({
  path: 'work log',
  summary: 'Show the output of the agent of a run, or of all runs of a job; use --follow while it runs',
  description:
    'Events of Claude Code and Codex are shown as messages and tool calls; --raw shows them as printed. Secrets are masked.',
  params: {
    id: runOrJobId(described(v.pipe(v.string(), v.minLength(1)), 'Run or job id, or a unique prefix of it')),
    follow: described(v.optional(v.boolean(), false), 'Continue until the run or the job has finished'),
    raw: described(v.optional(v.boolean(), false), 'The lines as the agent printed them'),
    tail: described(v.optional(v.pipe(int(), v.minValue(1))), 'Start with the last <n> lines'),
  },
  positionals: ['id'],
  item: v.object({
    run_id: v.string(),
    item_id: v.string(),
    at: v.string(),
    stream: v.picklist(['stdout', 'stderr', 'deed']),
    text: v.string(),
    _untrusted: v.optional(v.array(v.string())),
  }),
  sort: 'at ascending within a run',
  untrusted: ['text'],
  examples: ['work log 6a2x74g1 --follow --format text', 'work log job_6a2x74g09zy4f --tail 20'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED', 'E_TIMEOUT', 'E_CONFLICT', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN'],
  run: async function* ({ id, follow, raw, tail }, context) {
    const read = await openLog(id, raw, context);
    if (tail === undefined) return yield* read(follow);
    const known = [];
    for await (const line of read(false)) known.push(line);
    yield* known.slice(-tail);
    if (!follow) return;
    let skipped = 0;
    for await (const line of read(true)) {
      skipped += 1;
      if (skipped > known.length) yield line;
    }
  },
  renderText: ({ item_id, stream, text }, paint) => {
    const prefix = `[${item_id}] `;
    const lines = printable(text)
      .split('\n')
      .map((line) => `${prefix}${line}\n`)
      .join('');
    return stream === 'deed' ? paint.dim(lines) : lines;
  },
});

/** The log of a run or job, here or on other hosts; it can be read several times. */
async function openLog(
  id: string,
  raw: boolean,
  context: CommandContext,
): Promise<(follow: boolean) => AsyncGenerator<RunLogLine>> {
  const elsewhere = await findElsewhere(id, context);
  if (elsewhere !== undefined) {
    const { followElsewhere } = await import('./log-elsewhere.ts');
    return (follow) => followElsewhere({ ...elsewhere, raw }, follow, context);
  }
  const { followLog } = await loadWork();
  const { home, signal } = context;
  return (follow) => followLog(home.path, id, { raw, signal, follow });
}

async function findElsewhere(
  id: string,
  context: CommandContext,
): Promise<{ readonly jobId: string; readonly run?: RunElsewhere } | undefined> {
  if (id.startsWith('job_')) {
    const { fleet } = await readCurrentJob(id, context);
    return fleet && { jobId: id };
  }
  const { findRunElsewhere } = await import('./find-run-elsewhere.ts');
  const run = await findRunElsewhere(id, context);
  return run && { jobId: run.job.id, run };
}
