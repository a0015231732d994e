import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';

/** The limits that a caller sets for apply, in addition to the thresholds of the plan. */
export interface ApplyPolicy {
  /** P(target class) must exceed this and the plan's threshold. */
  readonly minPosterior?: number | undefined;
  /** The total memory that the actions of one apply may free, in megabytes. */
  readonly maxBlastRadiusMb?: number | undefined;
  /** The number of processes that one apply may end, descendants of targets included. */
  readonly maxKills?: number | undefined;
  /** How old a plan may be when it is first applied. */
  readonly maxPlanAgeMs?: number | undefined;
  readonly requireKnownSignature: boolean;
  /** For root only: the account whose processes may be acted on. */
  readonly uid?: number | undefined;
}

export const MAX_PLAN_AGE_MS = 15 * 60_000;

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:([KMGT])(?:i?B)?|B)?$/iu;
const MEGABYTES: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 };

/** Parses a size such as 2GB or 512M to megabytes. A number without a unit is in megabytes; units are powers of 1024. */
export function parseSizeMb(text: string, field: string): number {
  const [, digits, unit] = SIZE.exec(text.trim()) ?? [];
  if (digits === undefined) {
    throw new Fault(
      'E_VALIDATION',
      `--${field.replaceAll('_', '-')}: "${text.slice(0, 40)}" is not a size.`,
      {
        hint: 'Use a number with a unit, for example 2GB or 512MB.',
        details: { field, value: text.slice(0, 40) },
      },
    );
  }
  const bytesOnly = /b$/iu.test(text.trim()) && unit === undefined;
  const factor = bytesOnly ? 1 / (1024 * 1024) : (ownMember(MEGABYTES, (unit ?? 'M').toUpperCase()) ?? 1);
  return Number(digits) * factor;
}
