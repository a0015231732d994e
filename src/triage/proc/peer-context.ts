import type { Inspection } from './inspect-process.ts';
import type { NetTables } from './net-tables.ts';
import type { PipeHolders } from './pipe-holders.ts';

/** What is needed to find the other ends of streams and sockets. */
export interface PeerContext {
  readonly inspections: ReadonlyMap<number, Inspection>;
  readonly pipes: PipeHolders;
  /** The inspected processes that have a socket open, by inode. */
  readonly socketHolders: ReadonlyMap<number, readonly number[]>;
  readonly netTables: (pid: number) => NetTables;
  /** Whether two processes are in the same orphaned tree or session. */
  readonly sameFamily: (left: number, right: number) => boolean;
  /** Whether a process was orphaned in the first sample. */
  readonly lostBefore: (pid: number) => boolean;
}

/** The ends of a socket pair have consecutive inodes; /proc has no other link between them. */
export function pairHolders(inode: number, { socketHolders }: PeerContext): number[] {
  return [...(socketHolders.get(inode - 1) ?? []), ...(socketHolders.get(inode + 1) ?? [])];
}
