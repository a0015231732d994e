import * as v from 'valibot';
import { described } from '../../base/schema.ts';

/** A word of up to 40 characters, which is a part of names in the database and of files. */
export const word = () =>
  v.pipe(
    v.string(),
    v.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/u, 'must be a lower-case word of up to 40 characters'),
  );

export const queueParameter = described(v.optional(word(), 'default'), 'The queue; "work run --on" names it');

export const labelsParameter = described(
  v.optional(v.array(word())),
  'Labels of this host, for items that require them: gpu,node (added to its platform, architecture and isolation)',
);

export const cloneParameter = described(
  v.optional(v.pipe(v.string(), v.minLength(1))),
  'A clone of the repository, which the host keeps for all items (default: the current folder)',
);
