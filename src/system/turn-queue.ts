import { closeSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../base/sleep.ts';
import { ownUid } from './account.ts';
import { discardFile } from './durable-file.ts';
import { readUptimeMs } from './machine-clock.ts';
import { monotonicMs } from './monotonic-ms.ts';
import { assertPrivateFolder, ensurePrivateFolder } from './private-folder.ts';
import { isStoppedState, readProcessState } from './process-identity.ts';

/** If more tickets are ahead, most rounds only count them. */
const MAX_CHECKED_TICKETS = 8;

export interface TurnOptions {
  /** How many processes act at the same time. */
  readonly slots: number;
  /** After this time the process acts without its turn. */
  readonly waitMs: number;
}

/**
 * Lets processes act in the order in which they asked, a few at a time. It is used before locks that are acquired by polling: with many
 * processes, some of them would never find the lock free. A waiting process has a ticket, a file whose name sorts by
 * time, until it has acted. Tickets of processes that exited are removed, and stopped processes are skipped. Contract: the queue
 * only orders the processes; the locks exclude them from each other.
 */
export async function inTurn<T>(
  folder: string,
  { slots, waitMs }: TurnOptions,
  action: () => Promise<T>,
): Promise<T> {
  const ticket = createTicket(folder);
  if (ticket === undefined) return action();
  try {
    const deadline = monotonicMs() + waitMs;
    for (let round = 0; monotonicMs() < deadline; round += 1) {
      const ahead = countAhead(folder, ticket, round % 16 === 15);
      if (ahead < slots) break;
      await sleep(Math.min(200, 2 + 3 * (ahead - slots)));
    }
    return await action();
  } finally {
    discardFile(join(folder, ticket));
  }
}

/** Returns the name of the ticket; undefined where none can be created, then this process does not wait in turn. */
function createTicket(folder: string): string | undefined {
  try {
    // A time that all processes share and that no one can set; where the system does not report it, the wall clock.
    const since = String(readUptimeMs() ?? Date.now()).padStart(20, '0');
    const name = `${since}-${process.pid}-${readProcessState(process.pid)?.startTicks ?? ''}`;
    ensurePrivateFolder(folder);
    // A link would create tickets somewhere else.
    assertPrivateFolder(folder, ownUid());
    closeSync(openSync(join(folder, name), 'wx', 0o600));
    return name;
  } catch {
    return undefined;
  }
}

/**
 * Counts the live processes ahead of this one. If many tickets are ahead, all are counted without a check, unless `checksAll`: the processes
 * near the front check theirs, and remove the tickets of processes that exited.
 */
function countAhead(folder: string, own: string, checksAll: boolean): number {
  const tickets = listTickets(folder).filter((name) => name < own);
  if (tickets.length > MAX_CHECKED_TICKETS && !checksAll) return tickets.length;
  return tickets.filter((name) => {
    const [, pid, ticks] = name.split('-');
    const found = readProcessState(Number(pid));
    const isAlive = found?.startTicks === ticks && found?.state !== 'Z';
    if (!isAlive) discardFile(join(folder, name));
    return isAlive && !isStoppedState(found?.state ?? '');
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
