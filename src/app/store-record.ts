import { closeSync, openSync, writeSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { sha256 } from '../system/digest.ts';
import { systemCode } from '../base/system-fault.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import { readMachineTime, type MachineTime } from '../system/machine-clock.ts';
import { lastCopiedEvent } from './backup-files.ts';
import type { WriteRecord } from '../continuity/database/write-record.ts';
import type { Home } from '../contract/home.ts';

const FOLDER = 'stores';
const WIDTH = 16;
const DAY_MS = 86_400_000;
/** A clock that is adjusted by less has not jumped. */
const TOLERANCE_MS = 5 * 60 * 1000;
/** A jump of the clock is accepted after this many writes. */
const CONFIRMING_WRITES = 20;

/** When the last write was, by the clock and by the machine. */
interface RecordedTime extends MachineTime {
  readonly atMs: number;
  /** How many writes there were since a jump of the clock; `atMs` is the time of the last write before it. */
  readonly since: number;
}

/**
 * The record of a store, in the home of the caller. It is overwritten in place and not flushed: a power loss may leave an older record,
 * which detects fewer lost writes, but never a newer one than the store, which is flushed before. The newest daily copy is a second
 * record of the store of the home.
 */
export function storeRecord(home: Home, path: string, now: () => number): WriteRecord {
  const name = sha256(nameIn(home, path)).slice(0, 24);
  const isCopied = path === home.at('deed.db');
  return {
    read: () => Math.max(readNumber(home.at(FOLDER, name)), isCopied ? lastCopiedEvent(home) : 0),
    write: (eventId, readLater) => {
      try {
        const folder = home.folder(FOLDER);
        const file = join(folder, name);
        const machine = readMachineTime();
        const time =
          machine === undefined ? '' : renderTime(nextTime(readTime(file), machine, now(), readLater));
        writeInPlace(file, `${String(eventId).padStart(WIDTH)} ${time}${path}\n`);
      } catch {
        // The write itself succeeded, and the next one is recorded.
      }
    },
    expectedMs: (nowMs) => expectedMs(readTime(home.at(FOLDER, name)), readMachineTime(), nowMs),
  };
}

/**
 * Returns the expected time, see `WriteRecord`. After a reboot it is known only that the last write is in the past: its time is returned if
 * the clock is behind it, otherwise undefined.
 */
function expectedMs(
  known: RecordedTime | undefined,
  machine: MachineTime | undefined,
  nowMs: number,
): number | undefined {
  // Without another time to compare with, the clock is trusted.
  if (machine === undefined) return nowMs;
  if (known === undefined) return undefined;
  if (known.bootId === machine.bootId) return known.atMs + Math.max(0, machine.uptimeMs - known.uptimeMs);
  return nowMs < known.atMs - TOLERANCE_MS ? known.atMs : undefined;
}

/** Returns the time to record with a write. After a jump it is the expected time for some writes, so that a clock that is wrong for a few calls has no effect. */
function nextTime(
  known: RecordedTime | undefined,
  machine: MachineTime,
  now: number,
  readLater?: (nowMs: number) => number | undefined,
): RecordedTime {
  const expected = expectedMs(known, machine, now) ?? readLater?.(now);
  const since = known?.since ?? 0;
  const hasJumped = expected !== undefined && (now - expected > DAY_MS || expected - now > TOLERANCE_MS);
  if (hasJumped && since < CONFIRMING_WRITES) return { ...machine, atMs: expected, since: since + 1 };
  // Another container of this machine wrote last: its uptime differs, so it does not measure the time between the two calls.
  const isOther = known?.bootId === machine.bootId && machine.uptimeMs < known.uptimeMs - TOLERANCE_MS;
  return isOther
    ? { bootId: NO_BOOT, uptimeMs: 0, atMs: now, since: 0 }
    : { ...machine, atMs: now, since: 0 };
}

/** A boot id that matches no boot, so that only the time of the write is compared. */
const NO_BOOT = '00000000-0000-0000-0000-000000000000';

/** All have the same length, because the record is overwritten in place. */
const TIME = /^ *\d+ ([\da-f-]{36}) +(\d+) +(\d+) +(\d+) /u;

function renderTime({ bootId, uptimeMs, atMs, since }: RecordedTime): string {
  return `${bootId} ${String(uptimeMs).padStart(15)} ${String(atMs).padStart(15)} ${String(since).padStart(2)} `;
}

function readTime(path: string): RecordedTime | undefined {
  const [, bootId, uptimeMs, atMs, since] = TIME.exec(readText(path)) ?? [];
  if (bootId === undefined) return undefined;
  return { bootId, uptimeMs: Number(uptimeMs), atMs: Number(atMs), since: Number(since) };
}

/** A home can be moved with its stores. */
function nameIn(home: Home, path: string): string {
  const own = relative(home.path, path);
  return own.startsWith('..') || isAbsolute(own) ? path : own;
}

function readNumber(path: string): number {
  const number = Number(readText(path).slice(0, WIDTH));
  return Number.isSafeInteger(number) ? number : 0;
}

function readText(path: string): string {
  try {
    return readFileIfPresent(path) ?? '';
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return '';
  }
}

function writeInPlace(path: string, text: string): void {
  let file: number;
  try {
    file = openSync(path, 'r+');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    file = openSync(path, 'w', 0o600);
  }
  try {
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
}
