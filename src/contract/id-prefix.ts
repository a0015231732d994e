import { Fault } from '../base/fault.ts';
import { excerpt } from '../base/text.ts';
import { UNTRUSTED_KEY } from './generated.ts';

/** The characters after `task_` that a prefix of an id needs. */
export const MIN_PREFIX = 6;
/** How many ids the fault for an ambiguous prefix lists. */
export const MAX_CANDIDATES = 10;

/** A prefix as a caller passed it, and the same with the type: `6a2x74` means `task_6a2x74`. */
export interface IdPrefix {
  readonly field: string;
  readonly given: string;
  readonly full: string;
  readonly length: number;
}

export interface IdCandidate {
  readonly id: string;
  readonly title?: string;
}

export function readPrefix(field: string, given: string, type: string): IdPrefix {
  const body = given.startsWith(`${type}_`) ? given.slice(type.length + 1) : given;
  return { field, given, full: `${type}_${body}`, length: body.length };
}

/**
 * Chooses the id that a prefix means, from the ids that start with it; one more than `MAX_CANDIDATES` suffices. Undefined if there is
 * none.
 */
export function chooseId(prefix: IdPrefix, candidates: readonly IdCandidate[]): string | undefined {
  const { given, full, length } = prefix;
  const exact = candidates.find(({ id }) => id === given) ?? candidates.find(({ id }) => id === full);
  if (exact !== undefined) return exact.id;
  if (candidates.length > 0 && length < MIN_PREFIX) throw tooShort(prefix);
  if (candidates.length > 1) throw ambiguous(prefix, candidates);
  return candidates[0]?.id;
}

/** The caller must change its argument, so this is a validation error: reading the state again and retrying would not help. */
function ambiguous({ field, given }: IdPrefix, candidates: readonly IdCandidate[]): Fault {
  const listed = candidates.slice(0, MAX_CANDIDATES);
  const count =
    candidates.length > MAX_CANDIDATES ? `more than ${MAX_CANDIDATES}` : String(candidates.length);
  return new Fault(
    'E_VALIDATION',
    `The id "${excerpt(given, 80)}" is ambiguous: ${count} ids start with it.`,
    {
      hint: 'Pass more characters, or one of the ids in details.candidates.',
      details: {
        field,
        id: given,
        candidates: listed.map(({ id, title }) => ({
          id,
          ...(title !== undefined && { title: excerpt(title, 80) }),
        })),
        ...(listed.some(({ title }) => title !== undefined) && { [UNTRUSTED_KEY]: ['candidates[].title'] }),
      },
    },
  );
}

function tooShort({ field, given, length }: IdPrefix): Fault {
  return new Fault(
    'E_VALIDATION',
    `The id "${excerpt(given, 80)}" is too short: it has ${length} characters.`,
    {
      hint: `Pass the whole id, or at least ${MIN_PREFIX} characters of it.`,
      details: { field, id: given, min: MIN_PREFIX },
    },
  );
}
