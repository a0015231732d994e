import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';

import { shortText } from './text-parameters.ts';

/** Parameters that many commands share. */
export const idParameter = described(shortText, 'The task');
export const projectParameter = described(v.optional(shortText), 'The project; any text, compared literally');
export const priorityParameter = v.pipe(int(), v.minValue(-1000), v.maxValue(1000));
export const leaseParameter = described(
  v.optional(v.string()),
  'How long the claim holds without a sign of life, for example 30m (default 30m, at most 24h)',
);
