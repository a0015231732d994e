import { existsSync } from 'node:fs';
import * as v from 'valibot';
import { errorMessage } from '../base/error-message.ts';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { int } from '../base/schema.ts';
import { defineWrite, type CommandContext } from '../contract/command.ts';
import { toFault } from '../contract/exit-code.ts';
import { allowDeletionByAge } from '../contract/deletable-since.ts';

const loadRetention = () => import('../app/retention/rules.ts');
const certain = async (context: CommandContext): Promise<CommandContext> =>
  (await import('../app/retention/certain-time.ts')).certainContext(context);

export default defineWrite({
  path: 'gc',
  summary: 'Delete data that is past its retention limits; receipts are kept',
  description:
    'The dry run lists every part of the home with its size, its rule and what would be removed; doctor shows the sizes. Settings named retention.* change the rules. ' +
    'Deleted rows leave free space in the database, which "store vacuum" returns to the disk',
  params: {},
  output: v.object({
    parts: v.array(
      v.object({
        part: v.string(),
        rule: v.string(),
        removed: int(),
        freed_bytes: int(),
        size_bytes: int(),
        problem: v.nullable(v.string()),
      }),
    ),
    freed_bytes: int(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['gc --dry-run', 'gc --confirm <token>'],
  errors: ['E_CONFIG', 'E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN', 'E_IO'],
  plan: async (_params, context) => {
    const { RETENTION_RULES, measurePart, retentionContext } = await loadRetention();
    const retention = retentionContext(await certain(context), { since: 0 });
    const changes = [];
    for (const rule of RETENTION_RULES) {
      context.progress(`Checking ${rule.part}.`);
      const { removal, problem } = await attempt(() => rule.plan(retention));
      changes.push({
        action: 'collect',
        resource: rule.part,
        id: rule.paths(context)[0] ?? context.home.path,
        before: { size_bytes: measurePart(rule, context) },
        after: {
          rule: rule.describe(retention.limits),
          removed: removal.items,
          freed_bytes: removal.bytes,
          problem,
        },
      });
    }
    return { changes };
  },
  run: async (_params, context) => {
    const { RETENTION_RULES, measurePart, retentionContext } = await loadRetention();
    const retention = retentionContext(await certain(context), { since: 0 });
    const parts = [];
    const failed: FailedPart[] = [];
    for (const rule of RETENTION_RULES) {
      context.signal.throwIfAborted();
      context.progress(`Cleaning ${rule.part}.`);
      const { removal, problem, code } = await attempt(() => rule.collect(retention));
      if (problem !== null) failed.push({ part: rule.part, problem, code });
      parts.push({
        part: rule.part,
        rule: rule.describe(retention.limits),
        removed: removal.items,
        freed_bytes: removal.bytes,
        size_bytes: measurePart(rule, context),
        problem,
      });
    }
    if (existsSync(context.home.path)) allowDeletionByAge(context.home);
    if (failed.length > 0) throw incomplete(failed, parts);
    return { parts, freed_bytes: parts.reduce((sum, part) => sum + part.freed_bytes, 0) };
  },
});

interface FailedPart {
  readonly part: string;
  readonly problem: string;
  readonly code: string;
}

/** The other parts are clean; what was not done must not look like a success. */
function incomplete(failed: readonly FailedPart[], parts: readonly JsonObject[]): Fault {
  const names = failed.map(({ part, problem }) => `${part}: ${problem}`).join(' ');
  return new Fault(failed[0]?.code ?? 'E_IO', `Not cleaned: ${names}`, {
    hint: 'All other parts were cleaned. Fix the cause; "deed doctor" checks the home. Then run gc again.',
    details: { parts, problems: failed.map((each) => ({ ...each })) },
  });
}

interface Removed {
  readonly removal: { readonly items: number; readonly bytes: number };
  readonly problem: string | null;
  readonly code: string;
}

/** A damaged part, such as an altered audit log, is reported and does not keep the others from being cleaned. */
async function attempt(work: () => Promise<Removed['removal']>): Promise<Removed> {
  try {
    return { removal: await work(), problem: null, code: '' };
  } catch (error) {
    return {
      removal: { items: 0, bytes: 0 },
      problem: errorMessage(error),
      code: toFault(error).code,
    };
  }
}
