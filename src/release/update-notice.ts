import { rmSync } from 'node:fs';
import { isPlainObject, type JsonObject } from '../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';

/** The file in the home folder that caches the result of the last check. */
export const NOTICE_FILE = 'update-check.json';

/** Informs a caller about a newer version and how to install it. */
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
 * Reads the cached notice of the last check, if it still applies to the running version. Every command calls this, so it reads
 * one small file and never throws: an unreadable or invalid cache is treated as empty.
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

/** Caches a notice for later commands. The folder must exist. */
export function writeUpdateNotice(path: string, notice: UpdateNotice): void {
  writeFileDurably(path, `${JSON.stringify(notice)}\n`, { mode: 0o600, sync: false });
}

/** Deletes the cached notice. Never throws: an outdated notice is not shown anyway. */
export function clearUpdateNotice(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The home is not writable; the reader compares versions, so an outdated notice is ignored.
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

/** Drops unknown members of the file. */
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
