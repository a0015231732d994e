import { Fault } from '../../base/fault.ts';

/** The advice for texts that YAML reads as something else. */
export const QUOTES = 'In YAML, a text with ": ", ", " or special characters needs quotes.';

/** The fault for a plan or an item that cannot be run. */
export function invalidPlan(
  message: string,
  details: Record<string, string | number>,
  { cause, advice }: { readonly cause?: unknown; readonly advice?: string | undefined } = {},
): Fault {
  const hint = 'Fix the plan; "deed work run --help" shows an example. Nothing was run.';
  return new Fault('E_VALIDATION', message, {
    hint: advice === undefined ? hint : `${advice} ${hint}`,
    details,
    cause,
  });
}
