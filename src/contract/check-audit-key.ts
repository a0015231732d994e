import { join } from 'node:path';
import { damaged } from '../base/damaged.ts';
import { readLinesBackward } from '../system/read-lines-backward.ts';
import { isGenuine, parseLine } from './audit-chain.ts';
import { logFiles } from './audit-files.ts';
import { AUDIT_KEY, auditKeyHint } from './audit-key.ts';

/** How many of the newest lines are tried: a single line that was changed does not prove that the key is wrong. */
const TRIED = 100;

/**
 * Throws E_DAMAGED if the key did not sign the newest lines, or is missing although there are lines. Without this check, new lines would be
 * signed with a wrong key, and the whole log would look altered even after the right key is restored.
 */
export function assertAuditKey(folder: string, key: Uint8Array | undefined): void {
  let tried = 0;
  for (const text of newestLines(folder)) {
    const line = parseLine(text);
    if (line === undefined) continue;
    if (key !== undefined && isGenuine(line, key)) return;
    tried += 1;
    if (tried === TRIED) break;
  }
  if (tried === 0) return;
  const path = join(folder, AUDIT_KEY);
  const problem = key === undefined ? 'it is missing' : 'it did not sign the newest lines of the audit log';
  throw damaged(path, problem, auditKeyHint(path));
}

function* newestLines(folder: string): Generator<string> {
  for (const file of logFiles(folder).toReversed()) yield* readLinesBackward(join(folder, file));
}
