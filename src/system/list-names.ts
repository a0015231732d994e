import { readdirSync } from 'node:fs';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';

/** Lists the names in a folder; a folder that does not exist has none. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw faultFromSystem(error, 'list', folder);
  }
}
