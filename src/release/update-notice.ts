import { rmSync } from 'node:fs';
import { isPlainObject, type JsonObject } from '../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';

/** The file in the home folder that keeps what the last check found. */
export const NOTICE_FILE = 'update-check.json';

/** Tells a caller that a newer version is there, and what to do about it. */
export interface UpdateNotice extends JsonObject {
  readonly type: 'update_available';
  readonly severity: 'info' | 'warning';
  readonly current_version: string;
  readonly latest_version: string;
  readonly install_method: string;
  readonly recommended_command: string;
  readonly release_url: string | null;
  readonly checked_at: string;
  readonly next_steps: readonly NextStep[];
}

interface NextStep extends JsonObject {
  readonly action: string;
  readonly command: string;
}

const MAX_BYTES = 64 * 1024;

/**
 * Reads the notice that the last check left, if it still holds for the version that runs. Called by every command, so it
 * reads one small file and never fails: a cache that cannot be read or understood is no notice.
 */
export async function readUpdateNotice(
  path: string,
  runningVersion: string,
): Promise<UpdateNotice | undefined> {
  const notice = parseNotice(path);
  if (notice === undefined) return undefined;
  // Loaded late: most calls find no notice and compare no versions.
  const { isNewer } = await import('./version.ts');
  return isNewer(notice.latest_version, runningVersion)
    ? { ...notice, current_version: runningVersion }
    : undefined;
}

/** Keeps a notice for the commands to come. The folder must exist. */
export function writeUpdateNotice(path: string, notice: UpdateNotice): void {
  writeFileDurably(path, `${JSON.stringify(notice)}\n`, { mode: 0o600, sync: false });
}

/** Forgets the notice, because there is nothing newer any more. Never fails: a stale notice is not told anyway. */
export function clearUpdateNotice(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The home cannot be written; reading compares versions, so nobody is misled.
  }
}

function parseNotice(path: string): UpdateNotice | undefined {
  try {
    const text = readFileIfPresent(path, MAX_BYTES);
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isNotice(value) ? pickNotice(value) : undefined;
  } catch {
    return undefined;
  }
}

function isNotice(value: unknown): value is UpdateNotice {
  if (!isPlainObject(value)) return false;
  const texts = ['current_version', 'latest_version', 'install_method', 'recommended_command', 'checked_at'];
  return (
    value.type === 'update_available' &&
    (value.severity === 'info' || value.severity === 'warning') &&
    texts.every((name) => typeof value[name] === 'string') &&
    (value.release_url === null || typeof value.release_url === 'string') &&
    Array.isArray(value.next_steps) &&
    value.next_steps.every(
      (step) => isPlainObject(step) && typeof step.action === 'string' && typeof step.command === 'string',
    )
  );
}

/** Leaves out what a notice does not have, whoever wrote it into the file. */
function pickNotice(value: UpdateNotice): UpdateNotice {
  return {
    type: value.type,
    severity: value.severity,
    current_version: value.current_version,
    latest_version: value.latest_version,
    install_method: value.install_method,
    recommended_command: value.recommended_command,
    release_url: value.release_url,
    checked_at: value.checked_at,
    next_steps: value.next_steps.map(({ action, command }) => ({ action, command })),
  };
}
