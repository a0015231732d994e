import { closeSync, openSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { redact } from '../../base/secrets/redact.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { ownUid } from '../../system/account.ts';
import { writeWhole } from '../../system/durable-file.ts';
import { findForeignOwner } from '../../system/foreign-access.ts';
import type { AccountingEntry } from '../accounting-entry.ts';

/** Throws if no entry could be appended to a file; creates it if it does not exist. */
export function assertLedger(path: string): void {
  assertOwnFile(path);
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw faultFromSystem(error, 'write', path);
  }
}

/** Appends entries to a JSON Lines file in one write, so that several sessions can share it. */
export function appendLedger(path: string, entries: readonly AccountingEntry[]): void {
  if (entries.length === 0) return;
  const lines = entries.map((entry) => `${JSON.stringify(redact(entry))}\n`).join('');
  assertOwnFile(path);
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

/** In a folder that all accounts can write to, a link of another account would make this account append to any of its own files. */
function assertOwnFile(path: string): void {
  const found = findForeignOwner(path, ownUid());
  if (found === undefined) return;
  throw new Fault('E_CONFIG', `${found.path} ${found.problem}.`, { hint: found.fix, details: { path } });
}
