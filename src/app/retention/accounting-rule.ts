import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { writeFileDurably } from '../../system/durable-file.ts';
import { COMPRESSED_PART, LEDGER, LEDGER_PART, listLedgerFiles } from '../agent/ledger-files.ts';
import { listOldFiles, removeFiles, type OldFile } from './old-files.ts';
import { daysOf, type Removal, type RetentionContext, type RetentionRule } from './retention-rule.ts';

/** A part that was set aside gets no more lines after this time: an append opens the file for one write. */
const SETTLED_MS = 60 * 60_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** JSON lines of the same form compress well. */
const SAVED = 0.85;

/**
 * The ledger of agents. Sessions append to it without a lock, so it is never rewritten: a large one is set aside under another name,
 * and a later cleanup compresses that part.
 */
export const ACCOUNTING_RULE: RetentionRule = {
  part: 'accounting',
  describe: ({ accountingMs }) =>
    `Entries for ${daysOf(accountingMs)}; accounting.jsonl is set aside and compressed at 32 MB`,
  paths: ({ home }) => listLedgerFiles(home),
  plan: async (context) => {
    const [parts, old] = [settledParts(context), oldParts(context)];
    const bytes = parts.reduce((sum, part) => sum + part.bytes * SAVED, 0);
    return {
      items: parts.length + old.length,
      bytes: Math.round(old.reduce((sum, part) => sum + part.bytes, bytes)),
    };
  },
  collect: async (context) => {
    const removal = await compress(settledParts(context));
    const deleted = removeFiles(oldParts(context));
    setAside(context);
    return { items: removal.items + deleted.items, bytes: removal.bytes + deleted.bytes };
  },
};

function settledParts({ command, now }: RetentionContext): readonly OldFile[] {
  return listOldFiles(command.home.path, { since: 0, before: now - SETTLED_MS }, (name) =>
    LEDGER_PART.test(name),
  );
}

function oldParts({ command, now, since, limits }: RetentionContext): readonly OldFile[] {
  const times = { since, before: now - limits.accountingMs };
  return listOldFiles(command.home.path, times, (name) => COMPRESSED_PART.test(name));
}

async function compress(parts: readonly OldFile[]): Promise<Removal> {
  let freed = 0;
  for (const { path, bytes } of parts) {
    const compressed = gzipSync(readFileSync(path));
    writeFileDurably(`${path}.gz`, compressed);
    removeFiles([{ path, bytes }]);
    freed += Math.max(0, bytes - compressed.length);
  }
  return { items: parts.length, bytes: freed };
}

function setAside({ command, now }: RetentionContext): void {
  const path = command.home.at(LEDGER);
  if (!existsSync(path) || statSync(path).size < MAX_BYTES) return;
  const time = new Date(now - (now % 1000)).toISOString().replaceAll(/[-:]|\.\d+Z$/gu, '');
  const part = command.home.at(`accounting-${time}.jsonl`);
  if (!existsSync(part)) renameSync(path, part);
}
