import type { ProcReader } from './proc-reader.ts';

const ENVIRON_BYTES = 256 * 1024;
/** Longer than any pid. */
const PID = /^\d{1,10}$/u;

/**
 * Finds the processes of an account that were started with this variable in their environment, such as `DEED_RUN_ID=…`. Reads one small
 * file per process. Zombies have no environment.
 */
export function findMarked(reader: ProcReader, variable: string, uid: number): readonly number[] {
  return (reader.list('') ?? [])
    .filter((name) => PID.test(name) && reader.owner(name) === uid && isMarked(reader, name, variable))
    .map(Number);
}

/** Returns whether the environment of a process contains a variable. */
export function isMarked(reader: ProcReader, pid: number | string, variable: string): boolean {
  const environment = reader.whole(`${pid}/environ`, ENVIRON_BYTES);
  return environment !== undefined && `\0${environment.toString('latin1')}`.includes(`\0${variable}\0`);
}
