import * as v from 'valibot';
import { described } from '../../../base/schema.ts';

/** A pattern for the names of processes. `*` alone would protect everything. */
export const nameParameter = described(
  v.pipe(v.string(), v.maxLength(100), v.regex(/^[^\s*/\p{Cc}][^*/\p{Cc}]*\*?$/u)),
  'The name of a program, script, module or package; * at the end matches any suffix',
);
