import * as v from 'valibot';
import { int } from '../../base/schema.ts';

/** Why an item runs again: a run of it was sent back with a comment. */
export interface Revision {
  /** The run that was sent back. */
  readonly of: string;
  /** The number of this attempt at the item; the first one is 1. */
  readonly attempt: number;
  readonly comment: string;
  readonly by: string;
  readonly at: string;
}

export const REVISION = v.object({
  of: v.string(),
  attempt: int(),
  comment: v.string(),
  by: v.string(),
  at: v.string(),
});
