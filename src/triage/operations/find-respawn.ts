import { sha256 } from '../../base/digest.ts';
import type { Assessment } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { LiveProcesses } from '../proc/live-processes.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import { startId } from '../process-snapshot.ts';

/** A process that took the place of one that was ended. */
export interface Respawn {
  readonly pid: number;
  readonly startId: string;
  readonly parentPid: number;
  /** Who started it: its parent, by name and pid. */
  readonly by: string;
  readonly memoryBytes: number;
}

/** Finds a process that was started after the action, runs the same program with the same arguments, and belongs to the same account. */
export function findRespawn(
  { host }: PlanDocument,
  entry: OutcomeEntry,
  { exe, uid }: Assessment,
  live: LiveProcesses,
  nowMs: number,
): Respawn | undefined {
  if (entry.commandMark === undefined) return undefined;
  // By the machine's own clock: its start is known in wall time to the second only.
  const agoMs = Math.max(0, nowMs - Date.parse(entry.startedAt));
  const since = Math.floor(((live.uptimeMs() - agoMs) / 1000) * host.ticksPerSecond);
  const ours = new Set((entry.members ?? []).map(({ pid, startTicks }) => `${pid}:${startTicks}`));
  for (const { pid, ppid } of live.listParents()) {
    const process = live.look(pid);
    if (process === undefined || process.startTicks < since || ours.has(`${pid}:${process.startTicks}`))
      continue;
    if (process.uid !== uid || process.exe !== exe || process.state === 'Z') continue;
    if (markCommand(live.commandLine(pid)) !== entry.commandMark) continue;
    const parent = live.look(ppid);
    return {
      pid,
      startId: startId(host, process),
      parentPid: ppid,
      by: parent === undefined ? `pid ${ppid}` : `${parent.comm} (pid ${ppid})`,
      memoryBytes: live.memoryBytes(pid) ?? 0,
    };
  }
  return undefined;
}

/** A mark of a command line: enough to know it again, and no place where its secrets would be kept. */
export function markCommand(commandLine: string | undefined): string | undefined {
  return commandLine === undefined || commandLine === '' ? undefined : sha256(commandLine);
}
