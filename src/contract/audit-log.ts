import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { faultFromSystem } from '../base/system-fault.ts';
import { readFileIfPresent, writeFileDurably, writeWhole } from '../system/durable-file.ts';
import { withLock } from '../system/lock.ts';
import { CHAIN_START, checkLine, parseLine, renderLine, sealEntry } from './audit-chain.ts';
import type { AuditEntry, AuditHead } from './audit-chain.ts';
import type { Home } from './home.ts';
import { openSecret } from './secret.ts';

export const AUDIT_FOLDER = 'audit';
export const AUDIT_KEY = 'chain.key';
const HEAD = 'head.json';

/**
 * Appends one entry under a lock between processes. The cost does not grow with the log: the head tells where the chain
 * ends. What a crash left behind the head is taken in if it is a sound line, and cut off if it is half a line.
 */
export async function appendAudit(
  home: Home,
  entry: AuditEntry,
  options: { readonly sync: boolean },
): Promise<void> {
  const folder = home.folder(AUDIT_FOLDER);
  const key = openSecret(join(folder, AUDIT_KEY));
  await withLock(join(folder, 'lock'), () => {
    const head = readAuditHead(folder);
    const file = logName(entry.at, head);
    const log = openSync(join(folder, file), 'a+', 0o600);
    try {
      const previous = catchUp(log, file, head, key);
      const line = sealEntry(previous.repaired ? { ...entry, note: 'head restored' } : entry, previous, key);
      const bytes = Buffer.from(renderLine(line));
      writeWhole(log, bytes);
      if (options.sync) fsyncSync(log);
      const next: AuditHead = { seq: line.seq, hash: line.hash, file, bytes: previous.bytes + bytes.length };
      writeFileDurably(join(folder, HEAD), JSON.stringify(next), { sync: options.sync });
    } catch (error) {
      throw faultFromSystem(error, 'append to the audit log', join(folder, file));
    } finally {
      closeSync(log);
    }
  });
}

/** Reads where the chain ends; nothing when there is no head, or none that can be read. */
export function readAuditHead(folder: string): AuditHead | undefined {
  const text = readFileIfPresent(join(folder, HEAD));
  if (text === undefined) return undefined;
  try {
    const head = JSON.parse(text) as AuditHead;
    return typeof head.seq === 'number' &&
      typeof head.hash === 'string' &&
      /^audit-[\d-]+\.jsonl$/u.test(head.file)
      ? head
      : undefined;
  } catch {
    return undefined;
  }
}

interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
  readonly bytes: number;
  readonly repaired: boolean;
}

function catchUp(log: number, file: string, head: AuditHead | undefined, key: Uint8Array): ChainEnd {
  const { size } = fstatSync(log);
  const known = head?.file === file ? head.bytes : 0;
  let end: ChainEnd = { seq: head?.seq ?? 0, hash: head?.hash ?? CHAIN_START, bytes: known, repaired: false };
  if (size <= known) return { ...end, bytes: size };
  const tail = Buffer.alloc(size - known);
  readSync(log, tail, 0, tail.length, known);
  let start = 0;
  for (let stop = tail.indexOf(10); stop >= 0; stop = tail.indexOf(10, start)) {
    const line = parseLine(tail.subarray(start, stop).toString('utf8'));
    if (line && checkLine(line, end, key) === undefined) {
      end = { seq: line.seq, hash: line.hash, bytes: known + stop + 1, repaired: head === undefined };
    } else end = { ...end, bytes: known + stop + 1 };
    start = stop + 1;
  }
  if (start < tail.length) ftruncateSync(log, known + start);
  return end;
}

/** Months only go forward, even when the clock is set back: the chain is one line after the other. */
function logName(at: string, head: AuditHead | undefined): string {
  const name = `audit-${at.slice(0, 7)}.jsonl`;
  return head !== undefined && head.file > name ? head.file : name;
}
