import { sha256 } from '../../system/digest.ts';
import type { Assessment } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { LiveProcesses } from '../proc/live-processes.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import { startId } from '../process-snapshot.ts';

/** A process that replaced a killed one. */
export interface Respawn {
  readonly pid: number;
  readonly startId: string;
  readonly parentPid: number;
  /** The name and pid of its parent. */
  readonly by: string;
  readonly memoryBytes: number;
}

/** Finds a process that started after the action with the same program, arguments and owner. */
export function findRespawn(
  { host }: PlanDocument,
  entry: OutcomeEntry,
  { exe, uid }: Assessment,
  live: LiveProcesses,
  nowMs: number,
): Respawn | undefined {
  if (entry.commandMark === undefined) return undefined;
  // By uptime, because the boot time is known only to the second.
  const agoMs = Math.max(0, nowMs - Date.parse(entry.startedAt));
  const since = Math.floor(((live.uptimeMs() - agoMs) / 1000) * host.ticksPerSecond);
  const members = new Set((entry.members ?? []).map(({ pid, startTicks }) => `${pid}:${startTicks}`));
  for (const { pid, ppid } of live.listParents()) {
    const process = live.readProcess(pid);
    if (process === undefined || process.startTicks < since || members.has(`${pid}:${process.startTicks}`))
      continue;
    if (process.uid !== uid || process.exe !== exe || process.state === 'Z') continue;
    if (hashCommand(live.commandLine(pid)) !== entry.commandMark) continue;
    const parent = live.readProcess(ppid);
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

/** Hashes a command line, which may contain secrets, so that it can be recognized without being stored. */
export function hashCommand(commandLine: string | undefined): string | undefined {
  return commandLine === undefined || commandLine === '' ? undefined : sha256(commandLine);
}
