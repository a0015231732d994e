import type { Home } from '../../contract/home.ts';
import { listOldFiles } from '../retention/old-files.ts';

/** The ledger of agents in the home: one line per request or tool call. */
export const LEDGER = 'accounting.jsonl';

/** Parts that were set aside because the ledger was large, and were compressed later. */
export const LEDGER_PART = /^accounting-\d{8}T\d{6}\.jsonl$/u;
export const COMPRESSED_PART = /^accounting-\d{8}T\d{6}\.jsonl\.gz$/u;

/** The files of the ledger, newest entries first. */
export function listLedgerFiles(home: Home): readonly string[] {
  const parts = listOldFiles(home.path, { since: 0, before: Number.POSITIVE_INFINITY }, isLedgerPart);
  const paths = parts.map(({ path }) => path);
  return [home.at(LEDGER), ...paths.toSorted().toReversed()];
}

export function isLedgerPart(name: string): boolean {
  return LEDGER_PART.test(name) || COMPRESSED_PART.test(name);
}
