import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';

import { taskId } from './task-ids.ts';
import { shortText } from './text-parameters.ts';

/** Shared parameters. */
export const idParameter = taskId(described(shortText, 'The id of the task, or a unique prefix of it'));
/** The id of an event. A number was accepted before ids were strings, and still is. */
export const eventIdParameter = v.union([
  v.pipe(v.string(), v.regex(/^\d{1,15}$/u, 'must be the id of an event, such as "12"')),
  v.pipe(int(), v.minValue(0)),
]);
export const projectParameter = described(
  v.optional(shortText),
  'The project; any string, compared literally',
);
export const priorityParameter = v.pipe(int(), v.minValue(-1000), v.maxValue(1000));
export const leaseParameter = described(
  v.optional(v.string()),
  'The duration of the claim without a renewal, for example 30m (default 30m, maximum 24h)',
);
