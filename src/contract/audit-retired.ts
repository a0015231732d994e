import { join } from 'node:path';
import { equalInConstantTime, hmacSha256 } from '../system/digest.ts';
import { canonicalJson, isPlainObject, type JsonObject } from '../base/json.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import { CHAIN_START } from './audit-chain.ts';
import { listRetired, retiredMonthName } from './audit-files.ts';

/** What replaces the lines of a month that was retired: their number and hashes, sealed with the key of the chain. */
export interface RetiredMonth extends JsonObject {
  readonly format: 'deed.audit.retired/1';
  readonly month: string;
  readonly lines: number;
  /** Calls that ended in this month, those of them that failed, and their number by command. */
  readonly calls: number;
  readonly failed: number;
  readonly commands: { readonly [command: string]: number };
  /** How often the head was lost, so that lines may be missing; absent when it never was. */
  readonly heads_lost?: number;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly first_at: string;
  readonly last_at: string;
  /** The hash of the chain before the first line. */
  readonly prev: string;
  readonly first_hash: string;
  /** The hash of the chain after the last line. */
  readonly last_hash: string;
  readonly bytes: number;
  /** The SHA-256 of the lines, to check a copy of them. */
  readonly sha256: string;
  /** The compressed file that contains the lines; null when they were deleted. */
  readonly kept: string | null;
  readonly retired_at: string;
  readonly seal: string;
}

/** Seals a summary with the key of the chain: who can forge it could also forge the lines. */
export function sealRetired(body: Omit<RetiredMonth, 'seal'>, key: Uint8Array): RetiredMonth {
  return { ...body, seal: hmacSha256(key, canonicalJson(body)) } as RetiredMonth;
}

/** Seals a summary again after a change. */
export function resealRetired(summary: RetiredMonth, key: Uint8Array): RetiredMonth {
  const { seal: _, ...body } = summary;
  return sealRetired(body, key);
}

/** A retired month as found on disk; the summary is undefined when it cannot be read. */
export interface FoundRetired {
  readonly month: string;
  readonly file: string;
  readonly summary: RetiredMonth | undefined;
}

/** Reads the summaries of all retired months, oldest first. */
export function readRetired(folder: string): readonly FoundRetired[] {
  return listRetired(folder).map((month) => {
    const file = retiredMonthName(month);
    return { month, file, summary: parseRetired(readFileIfPresent(join(folder, file))) };
  });
}

/** Where the chain of the remaining lines starts: after the last retired month. */
export function chainStart(retired: readonly FoundRetired[]): { seq: number; hash: string } {
  const last = retired.findLast(({ summary }) => summary !== undefined)?.summary;
  return last === undefined ? { seq: 0, hash: CHAIN_START } : { seq: last.last_seq, hash: last.last_hash };
}

/** Describes what is wrong with a retired month that should follow a line; undefined when it is valid. */
export function checkRetired(
  { month, summary }: FoundRetired,
  previous: { seq: number; hash: string },
  key: Uint8Array,
): string | undefined {
  if (summary === undefined) return 'unreadable summary of a retired month';
  const { seal, ...body } = summary;
  if (summary.month !== month || !equalInConstantTime(hmacSha256(key, canonicalJson(body)), seal))
    return 'changed summary of a retired month';
  if (summary.first_seq !== previous.seq + 1)
    return `missing or repeated lines: ${previous.seq} is followed by ${summary.first_seq}`;
  return summary.prev === previous.hash ? undefined : 'does not follow from the line before it';
}

function parseRetired(text: string | undefined): RetiredMonth | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isRetiredMonth(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRetiredMonth(value: unknown): value is RetiredMonth {
  return (
    isPlainObject(value) &&
    value.format === 'deed.audit.retired/1' &&
    ['first_seq', 'last_seq', 'lines', 'calls'].every((name) => Number.isSafeInteger(value[name])) &&
    ['month', 'prev', 'last_hash', 'sha256', 'seal'].every((name) => typeof value[name] === 'string') &&
    (value.kept === null || (typeof value.kept === 'string' && /^[\w.-]+$/u.test(value.kept)))
  );
}
