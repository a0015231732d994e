import { ownMember } from '../../base/own-member.ts';
import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';

import { ACTIONS } from '../../triage/assessment.ts';
import { sessionId } from './session-ids.ts';

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const flag = v.optional(v.boolean(), false);

export const sessionParameter = sessionId(
  described(text, 'The triage session, or a unique prefix of its id'),
);

export const uidParameter = described(
  v.optional(v.pipe(int(), v.minValue(0))),
  'For root only: the account whose processes are covered',
);

export const SNAPSHOT_PARAMETERS = {
  window: described(
    v.optional(text),
    'The time between the two samples, for example 500ms (default 500ms, 50ms to 60s)',
  ),
  uid: uidParameter,
};

export const EXPANSION_PARAMETERS = {
  verbose: described(flag, 'Include all optional fields'),
  include_prose: described(flag, 'Add a prose summary'),
  prose_style: described(
    v.optional(v.picklist(['terse', 'conversational', 'formal', 'technical'])),
    'Style of the prose (default conversational)',
  ),
  galaxy_brain: described(flag, 'Add the mathematical derivations'),
  include_raw: described(flag, 'Include raw samples'),
  include_ledger: described(flag, 'Include the evidence ledger: what each observation adds to the posterior'),
};

export const onlyParameter = described(
  v.optional(v.array(v.picklist(ACTIONS))),
  'Only candidates with these recommended actions',
);

export const targetsParameter = described(
  v.pipe(v.array(text), v.minLength(1), v.maxLength(1000)),
  'Processes, as pid or pid:start_id',
);

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses the sampling window. In a shorter one every process would look idle. */
export const parseWindow = (value: string | undefined): number | undefined =>
  parseSpan(value, 'window', 60_000, 50);

/** Parses a duration such as 500ms or 5s; a number without a unit is in milliseconds. */
export function parseSpan(
  value: string | undefined,
  field: string,
  max: number,
  min = 0,
): number | undefined {
  if (value === undefined) return undefined;
  const [, digits, unit = 'ms'] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/u.exec(value) ?? [];
  const span = Number(digits) * (ownMember(UNITS, unit) ?? Number.NaN);
  if (span >= min && span <= max) return span;
  throw new Fault(
    'E_VALIDATION',
    `--${field.replaceAll('_', '-')}: "${value.slice(0, 40)}" is not a duration from ${min} to ${max} ms.`,
    {
      hint: 'Use a number with a unit, for example 500ms, 5s or 2m.',
      details: { field, value: value.slice(0, 40), min, max },
    },
  );
}
