import { closeSync, openSync } from 'node:fs';
import { redact } from '../../base/secrets/redact.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { writeWhole } from '../../system/durable-file.ts';
import type { AccountingEntry } from '../accounting-entry.ts';

/** Appends entries to a JSON Lines file in one write, so that several sessions can share it. */
export function appendLedger(path: string, entries: readonly AccountingEntry[]): void {
  if (entries.length === 0) return;
  const lines = entries.map((entry) => `${JSON.stringify(redact(entry))}\n`).join('');
  let file: number | undefined;
  try {
    file = openSync(path, 'a', 0o600);
    writeWhole(file, lines);
  } catch (error) {
    throw faultFromSystem(error, 'write', path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
