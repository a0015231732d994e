import * as v from 'valibot';
import { int } from '../../base/schema.ts';

const ENTRY = v.object({
  type: v.picklist(['file', 'symlink', 'dir']),
  mode: int(),
  hash: v.string(),
  size: int(),
  link: v.optional(v.string()),
});

/** A change of a tree in a stored document. */
export const CHANGE = v.object({
  path: v.string(),
  action: v.picklist(['create', 'modify', 'delete']),
  type: v.picklist(['file', 'symlink', 'dir']),
  before: v.optional(ENTRY),
  after: v.optional(ENTRY),
});
