import { RUN_MARK } from '../../base/run-mark-variable.ts';
import type { CommandContext } from '../../contract/command.ts';
import { openLibc } from '../../system/libc/libc.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import { ownPid } from '../../system/own-pid.ts';
import { markOf } from '../../work/run/run-mark.ts';
import { killMarked, type MarkedProcess } from '../../triage/operations/kill-marked.ts';

/** Terminates leftover processes of a run. Needs `/proc` and pidfd; elsewhere it does nothing. */
export async function endRunProcesses(
  runId: string,
  { system, home }: Pick<CommandContext, 'system' | 'home'>,
): Promise<readonly MarkedProcess[]> {
  if (system.platform !== 'linux') return [];
  const machine = { procRoot: '/proc', pid: ownPid(), uid: system.account.euid, openLibc, monotonicMs };
  return killMarked(machine, `${RUN_MARK}=${markOf(home.path, runId)}`);
}
