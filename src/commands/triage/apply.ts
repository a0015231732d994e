import * as v from 'valibot';
import { int, number } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import type { JsonObject } from '../../base/json.ts';
import { batchItem, batchSummary } from '../../contract/batch-output.ts';
import { defineWholeBatch } from '../../contract/command.ts';
import { codeRow } from '../../contract/exit-code.ts';
import {
  APPLY_DESCRIPTION,
  APPLY_ERRORS,
  APPLY_PARAMETERS,
  describeChange,
  readRequest,
} from './apply-request.ts';
import { answer, resultSchema } from './triage-schemas.ts';

/** A batch as a whole: the limits on kills and memory apply to all its actions together, and the actions run in the order of the plan. */
export default defineWholeBatch({
  path: 'triage apply',
  summary: 'Execute the actions of a plan that pass all gates',
  description: `${APPLY_DESCRIPTION}. With --continue-on-error false it stops at the first action that does not succeed; --resume continues there too`,
  gate: 'dangerous',
  params: APPLY_PARAMETERS,
  targets: 'targets',
  action: 'apply',
  untrusted: ['results[].reason', 'items[].error.message'],
  examples: [
    'triage apply --session sess-20260115-143022-abc123 --recommended --dry-run',
    'triage apply --session sess-20260115-143022-abc123 --recommended --confirm <token> --dangerous',
    'triage apply --session sess-20260115-143022-abc123 --targets 4711,4712 --dry-run',
  ],
  errors: APPLY_ERRORS,
  plan: async (params, context) => {
    const actions = await triageOf(context).preview(params.session, readRequest(params));
    return inOrder(
      actions.map(describeChange),
      params.targets ?? [],
      ({ id }, target) => id === target || id.startsWith(`${target}:`),
    );
  },
  whole: {
    output: answer({
      items: v.array(v.object({ ...batchItem(), action: v.string() })),
      summary: v.object({
        ...batchSummary(),
        skipped: int(),
        successful: int(),
        blocked: int(),
        memory_freed_mb: number(),
      }),
      skipped: v.optional(v.array(v.string())),
      results: v.array(resultSchema),
      replayed: v.optional(v.literal(true)),
    }),
    apply: async (changes, params, context, { continueOnError }) => {
      const request = { ...readRequest(params), continueOnError };
      const applied = await triageOf(context).applyBatch(params.session, request);
      const ids = changes.map(({ id }) => id);
      const items = inOrder(applied.items, ids, ({ target }, id) => target === id);
      return { ...applied, items: items.map(withRetryable) };
    },
  },
});

type Item = { readonly error?: { readonly code: string; readonly message: string } } & JsonObject;

function withRetryable({ error, ...item }: Item): JsonObject {
  if (error === undefined) return item;
  const { code, message } = error;
  return { ...item, error: { code, retryable: codeRow(code).retryable, message } };
}

/** Orders rows like the targets of the caller; others follow in their own order. */
function inOrder<T>(
  rows: readonly T[],
  targets: readonly string[],
  isOf: (row: T, target: string) => boolean,
): T[] {
  const rank = (row: T): number => {
    const index = targets.findIndex((target) => isOf(row, target));
    return index < 0 ? targets.length : index;
  };
  return rows.toSorted((one, other) => rank(one) - rank(other));
}
