/** Only long numbers and exponents can be inexact; most texts have neither. */
const MAY_BE_INEXACT = /\d{16}|\d[eE]\+?\d{3}/u;

/**
 * Finds a number in JSON text that a program would not read as it is written: an integer with too many digits, such as the id of a message,
 * or a number that is too large. Contract: the text is valid JSON.
 */
export function findInexactNumber(json: string): string | undefined {
  if (!MAY_BE_INEXACT.test(json)) return undefined;
  let found: string | undefined;
  const check = (_name: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    if (typeof value === 'number' && source !== undefined && !isExact(value, source)) found ??= source;
    return value;
  };
  JSON.parse(json, check);
  return found;
}

/** The end of a sentence about the text. */
export function describeInexact(number: string): string {
  return `has the number ${number.slice(0, 40)}, which cannot be stored exactly; write it as a string`;
}

function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^-?\d+$/u.test(source) || BigInt(source) === BigInt(value);
}
