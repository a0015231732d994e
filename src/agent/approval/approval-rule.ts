import * as v from 'valibot';
import { record, strictObject } from '../../base/schema.ts';

export const DECISIONS = ['allow', 'ask', 'deny'] as const;

/** What may happen to a tool call: it runs, a person is asked, or it is refused. */
export type Decision = (typeof DECISIONS)[number];

/** A rule for tool calls. The first rule of a list that matches decides. */
export const APPROVAL_RULE = strictObject({
  /** The name of a tool as models see it; `*` matches any text. */
  tool: v.pipe(v.string(), v.minLength(1)),
  /** A regular expression for each of these arguments, or for all of them as JSON under the name `*`; every one must match. */
  arguments: v.optional(record(v.string())),
  decision: v.picklist(DECISIONS),
});

export type ApprovalRule = v.InferOutput<typeof APPROVAL_RULE>;
