import { listNames } from '../system/list-names.ts';

/** The names of the files in the audit folder. */
export const LOG_NAME = /^audit-(\d{4}-\d{2})\.jsonl$/u;
const RETIRED_NAME = /^retired-(\d{4}-\d{2})\.json$/u;

export const logNameOf = (month: string): string => `audit-${month}.jsonl`;
export const keptName = (month: string): string => `audit-${month}.jsonl.gz`;
export const retiredMonthName = (month: string): string => `retired-${month}.json`;

/** Lists the monthly files of a log, oldest first. A month that was retired is not part of it, even if its file is still there. */
export function logFiles(folder: string): string[] {
  const names = listNames(folder);
  const retired = new Set(monthsOf(names, RETIRED_NAME));
  return monthsOf(names, LOG_NAME)
    .filter((month) => !retired.has(month))
    .map(logNameOf);
}

/** Lists the retired months, oldest first. */
export function listRetired(folder: string): string[] {
  return monthsOf(listNames(folder), RETIRED_NAME);
}

function monthsOf(names: readonly string[], pattern: RegExp): string[] {
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []).sort();
}
