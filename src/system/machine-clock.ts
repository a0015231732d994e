import { readFileSync } from 'node:fs';
import { bootId } from './process-identity.ts';

/** A moment by a clock that no one can set: the time since this start of the machine, with the time in which it slept. */
export interface MachineTime {
  readonly bootId: string;
  readonly uptimeMs: number;
}

/** Undefined where the system does not report it. */
export function readMachineTime(): MachineTime | undefined {
  try {
    const id = bootId();
    const uptimeMs = Math.round(Number(readFileSync('/proc/uptime', 'latin1').split(' ', 1)[0]) * 1000);
    return Number.isSafeInteger(uptimeMs) && id !== '' ? { bootId: id, uptimeMs } : undefined;
  } catch {
    return undefined;
  }
}
