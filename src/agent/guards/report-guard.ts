import * as v from 'valibot';
import { record, strictObject } from '../../base/schema.ts';

const KINDS = ['match', 'notMatch', 'schema', 'notSchema'] as const;
const pattern = () => v.optional(v.pipe(v.string(), v.minLength(1)));

/** A condition that a report must meet. Exactly one of the four kinds is set. */
export const REPORT_GUARD = v.pipe(
  strictObject({
    /** A regular expression that the text of the report must match. */
    match: pattern(),
    /** A pattern that the content must not match. */
    notMatch: pattern(),
    /** A JSON Schema that the content of the report must match. */
    schema: v.optional(record(v.unknown())),
    /** A JSON Schema that the content must not match. */
    notSchema: v.optional(record(v.unknown())),
    /** The message to the model when the report is rejected. */
    message: v.optional(v.string()),
  }),
  v.check(
    (guard) => KINDS.filter((kind) => guard[kind] !== undefined).length === 1,
    `A guard has exactly one of ${KINDS.join(', ')}.`,
  ),
);

export type ReportGuard = v.InferOutput<typeof REPORT_GUARD>;
