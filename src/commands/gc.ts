import { existsSync } from 'node:fs';
import * as v from 'valibot';
import { int } from '../base/schema.ts';
import { defineWrite, type CommandContext } from '../contract/command.ts';
import { allowDeletionByAge } from '../contract/deletable-since.ts';

const loadRetention = () => import('../app/retention/rules.ts');

export default defineWrite({
  path: 'gc',
  summary: 'Delete data of all parts that exceeds its retention; receipts stay',
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
  errors: ['E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN'],
  plan: async (_params, context) => {
    const { RETENTION_RULES, measurePart, retentionContext } = await loadRetention();
    const retention = retentionContext(context, { now: context.system.clock.now(), since: 0 });
    await warnOfJump(context, retention.now);
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
    const retention = retentionContext(context, { now: context.system.clock.now(), since: 0 });
    const parts = [];
    for (const rule of RETENTION_RULES) {
      context.signal.throwIfAborted();
      context.progress(`Cleaning ${rule.part}.`);
      const { removal, problem } = await attempt(() => rule.collect(retention));
      if (problem !== null) context.warn(`${rule.part}: ${problem}`);
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
    return { parts, freed_bytes: parts.reduce((sum, part) => sum + part.freed_bytes, 0) };
  },
});

/** The person who confirms decides whether the clock is right. */
async function warnOfJump(context: CommandContext, now: number): Promise<void> {
  const certain = await (await import('../app/retention/certain-time.ts')).certainTime(context, now);
  if (certain === now) return;
  const [last, clock] = [certain, now].map((time) => new Date(time).toISOString());
  context.warn(
    `The clock (${clock}) is more than a day after the last confirmed write (${last}). If it is wrong, do not confirm.`,
  );
}

interface Removed {
  readonly removal: { readonly items: number; readonly bytes: number };
  readonly problem: string | null;
}

/** A damaged part, such as an altered audit log, is reported and does not keep the others from being cleaned. */
async function attempt(work: () => Promise<Removed['removal']>): Promise<Removed> {
  try {
    return { removal: await work(), problem: null };
  } catch (error) {
    return {
      removal: { items: 0, bytes: 0 },
      problem: error instanceof Error ? error.message : String(error),
    };
  }
}
