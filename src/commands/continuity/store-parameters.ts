import * as z from '../../base/schema/schema.ts';

import { shortText } from './text-parameters.ts';

/** Parameters that many commands share. */
export const idParameter = z.described(shortText, 'The task');
export const projectParameter = z.described(
  z.optional(shortText),
  'The project; any text, compared literally',
);
export const priorityParameter = z.int().check(z.gte(-1000), z.lte(1000));
export const leaseParameter = z.described(
  z.optional(z.string()),
  'How long the claim holds without a sign of life, for example 30m (default 30m, at most 24h)',
);
