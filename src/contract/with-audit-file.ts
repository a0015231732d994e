import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { faultFromSystem } from '../base/system-fault.ts';

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
const APPEND = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW;

/** Opens a file of the log for appending, runs `use`, and closes the file. */
export function withAuditFile(folder: string, file: string, use: (log: number) => void): void {
  const path = join(folder, file);
  let log: number | undefined;
  try {
    // A link would append to a file somewhere else.
    log = openSync(path, APPEND, 0o600);
    use(log);
  } catch (error) {
    throw faultFromSystem(error, 'append to the audit log', path);
  } finally {
    if (log !== undefined) closeSync(log);
  }
}
