import { Fault } from '../../base/fault.ts';

/** What a caller of apply allows. What is not said is not limited beyond the plan's own thresholds. */
export interface ApplyPolicy {
  /** P(target class) must be above this as well as above the plan's threshold. */
  readonly minPosterior?: number | undefined;
  /** What all actions of this run together may free, in megabytes. */
  readonly maxBlastRadiusMb?: number | undefined;
  readonly maxKills?: number | undefined;
  readonly requireKnownSignature: boolean;
  /** Root only: the account whose processes may be acted on. */
  readonly uid?: number | undefined;
}

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:([KMGT])(?:i?B)?|B)?$/iu;
const MEGABYTES: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 };

/** Reads a size such as 2GB or 512M into megabytes; a bare number is megabytes. Powers of 1024, as memory is counted. */
export function parseSizeMb(text: string, field: string): number {
  const [, digits, unit] = SIZE.exec(text.trim()) ?? [];
  if (digits === undefined) {
    throw new Fault(
      'E_VALIDATION',
      `--${field.replaceAll('_', '-')}: "${text.slice(0, 40)}" is not a size.`,
      {
        hint: 'Give a number with a unit, for example 2GB or 512MB.',
        details: { field, value: text.slice(0, 40) },
      },
    );
  }
  const bytesOnly = /b$/iu.test(text.trim()) && unit === undefined;
  const factor = bytesOnly ? 1 / (1024 * 1024) : (MEGABYTES[(unit ?? 'M').toUpperCase()] ?? 1);
  return Number(digits) * factor;
}
