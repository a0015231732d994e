import { join } from 'node:path';

/** The folder of triage sessions, budget and keys of an account. */
export function triageFolder(userHome: string): string {
  return join(userHome, '.local/share/process_triage');
}
