import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../base/sleep.ts';
import { systemCode } from '../base/system-fault.ts';
import { discardFile } from './durable-file.ts';
import { isStopped, readProcessState } from './process-identity.ts';

/**
 * A queue in front of a lock: processes take it in the order in which they started to wait. Without it each waits for a random moment at
 * which the lock is free, and some never find one. A waiting process has a ticket, a file whose name sorts by time; only the first one
 * tries to take the lock. Tickets of processes that exited are removed, and stopped ones are passed over.
 */
export interface Turn {
  /** Tries to take the lock without waiting. */
  readonly attempt: () => boolean;
  /** Called between attempts; throws to stop waiting. */
  readonly assertPatient: () => void | Promise<void>;
}

/** How many tickets are checked in each round. */
const CHECKED = 4;

/** Takes a lock in turn. Contract: the queue only orders the attempts; exclusion is the task of the lock. */
export async function takeTurn(folder: string, { attempt, assertPatient }: Turn): Promise<void> {
  if (listTickets(folder).length === 0 && attempt()) return;
  const ticket = createTicket(folder);
  try {
    for (let [rounds, tries] = [0, 0]; ; rounds += 1) {
      const ahead = ticket === undefined ? 0 : countAhead(folder, ticket, rounds % 16 === 15);
      if (ahead === 0) {
        if (attempt()) return;
        tries += 1;
      }
      await assertPatient();
      await sleep(ahead === 0 ? Math.min(8, tries) : Math.min(60, 3 * ahead));
    }
  } finally {
    if (ticket !== undefined) removeTicket(folder, ticket);
  }
}

/** Returns the name of the ticket; undefined where none can be created, then this process does not wait in turn. */
function createTicket(folder: string): string | undefined {
  try {
    const since = String(Math.round(machineUptimeMs())).padStart(20, '0');
    const name = `${since}-${process.pid}-${readProcessState(process.pid)?.startTicks ?? ''}`;
    createIn(folder, name);
    return name;
  } catch {
    return undefined;
  }
}

/** A time that all processes share and that no one can set; where the system does not report it, the wall clock. */
function machineUptimeMs(): number {
  try {
    return Number(readFileSync('/proc/uptime', 'latin1').split(' ', 1)[0]) * 1000;
  } catch {
    return Date.now();
  }
}

/** The last process of a queue removes the folder, at any moment. */
function createIn(folder: string, name: string): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    try {
      return closeSync(openSync(join(folder, name), 'wx', 0o600));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

const MAX_ATTEMPTS = 20;

function removeTicket(folder: string, name: string): void {
  discardFile(join(folder, name));
  try {
    rmdirSync(folder);
  } catch {
    // Other processes wait.
  }
}

/** Counts the processes that are first. The state of those far ahead is not read: processes further ahead remove dead tickets. */
function countAhead(folder: string, own: string, checksAll: boolean): number {
  const tickets = listTickets(folder).filter((name) => name < own);
  if (tickets.length > CHECKED && !checksAll) return tickets.length;
  return tickets.filter((name) => {
    const [, pid, ticks] = name.split('-');
    const found = readProcessState(Number(pid));
    const isAlive = found?.startTicks === ticks && found?.state !== 'Z';
    if (!isAlive) discardFile(join(folder, name));
    return isAlive && !isStopped(Number(pid));
  }).length;
}

const TICKET = /^\d{20}-\d+-\d*$/u;

function listTickets(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => TICKET.test(name))
      .sort();
  } catch {
    return [];
  }
}
