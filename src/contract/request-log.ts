import { join } from 'node:path';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { sha256 } from '../system/digest.ts';
import { Fault } from '../base/fault.ts';
import { canonicalJson, isPlainObject, type JsonObject } from '../base/json.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';
import { readFileIfPresent, writeFileDurably, writeNewFile } from '../system/durable-file.ts';
import type { Home } from './home.ts';
import { isCleaningDue, isClockSuspect } from './once-a-day.ts';
import { deletableSince } from './deletable-since.ts';

/** One write that a caller made under its own request id. */
export interface RequestKey {
  readonly agent: string;
  readonly requestId: string;
  readonly command: string;
  readonly params: unknown;
}

interface RequestRecord {
  readonly command: string;
  readonly payload: string;
  readonly state: 'started' | 'done';
  readonly result: JsonObject | null;
}

const FOLDER = 'requests';
const DAY_MS = 24 * 60 * 60 * 1000;
const KEEP_MS = 30 * DAY_MS;

/**
 * Looks up the stored answer of a request id, so that a retry gets the same answer and does not write twice. A record is
 * `started` before the write and `done` after it. A crash in between leaves `started`: whether the write happened is unknown,
 * so a retry is rejected.
 */
export function recallRequest(home: Home, key: RequestKey): JsonObject | undefined {
  const text = readFileIfPresent(recordPath(home, key));
  if (text === undefined) return undefined;
  const record = parseRecord(text);
  if (record === undefined) throw unfinished(key);
  if (record.command !== key.command)
    throw conflict(key, `it was used for "${record.command}"`, 'other_command');
  if (record.payload !== payloadHash(key))
    throw conflict(key, 'it was used with different arguments', 'other_payload');
  if (record.state !== 'done' || record.result === null) throw unfinished(key);
  return record.result;
}

/**
 * Claims a request id before the write; exactly one of several concurrent callers succeeds. The others get the answer if it is
 * stored by then, and a conflict otherwise.
 */
export function startRequest(home: Home, key: RequestKey): JsonObject | undefined {
  const folder = home.folder(FOLDER);
  prune(home, folder);
  try {
    writeNewFile(recordPath(home, key), renderRecord(key, 'started', null), 0o600, true);
    return undefined;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return recallRequest(home, key);
    throw faultFromSystem(error, 'record the request in', folder);
  }
}

/** Stores the answer after the write. */
export function finishRequest(home: Home, key: RequestKey, result: JsonObject): void {
  writeFileDurably(recordPath(home, key), renderRecord(key, 'done', result));
}

/** Releases a request id when the write was rejected before it changed anything. */
export function abandonRequest(home: Home, key: RequestKey): void {
  rmSync(recordPath(home, key), { force: true });
}

/** A record that was only partly written because of a crash, or is damaged, means that a call started. */
function parseRecord(text: string): RequestRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value)) return undefined;
    const { sha256: checksum, ...record } = value;
    // Records of 0.1.0 have no checksum.
    const isIntact = checksum === undefined || checksum === sha256(canonicalJson(record));
    return isIntact ? (record as unknown as RequestRecord) : undefined;
  } catch {
    return undefined;
  }
}

function renderRecord(key: RequestKey, state: RequestRecord['state'], result: JsonObject | null): string {
  const content = { command: key.command, payload: payloadHash(key), state, result };
  return JSON.stringify({ ...content, sha256: sha256(canonicalJson(content)) });
}

function recordPath(home: Home, key: RequestKey): string {
  return home.at(FOLDER, `${sha256(canonicalJson([key.agent, key.requestId]))}.json`);
}

function payloadHash(key: RequestKey): string {
  return sha256(canonicalJson(key.params));
}

/** Scans the records once a day, so that an ordinary write does not depend on their number. */
function prune(home: Home, folder: string): void {
  const now = Date.now();
  if (!isCleaningDue(folder, now) || isClockSuspect(folder, now)) return;
  const oldest = now - KEEP_MS;
  const since = deletableSince(home, now);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && stats.mtimeMs < oldest && stats.mtimeMs >= since) rmSync(path, { force: true });
  }
}

function unfinished(key: RequestKey): Fault {
  return conflict(
    key,
    'an earlier call with it did not finish, so the write may have happened',
    'unfinished',
  );
}

function conflict(key: RequestKey, why: string, reason: string): Fault {
  return new Fault('E_CONFLICT', `The request id ${key.requestId} cannot be used again: ${why}.`, {
    hint: 'Check the current state; if the write is still needed, retry it with a new request id.',
    details: { field: 'request_id', reason },
  });
}
