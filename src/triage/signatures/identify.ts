import type { Assessment } from '../assessment.ts';
import { startId, type ProcessFacts, type ProcessSnapshot } from '../process-snapshot.ts';
import { fullCommand, shortCommand } from './command-text.ts';

type Identity = Pick<
  Assessment,
  'pid' | 'startTicks' | 'start_id' | 'uid' | 'ppid' | 'cmd_short' | 'cmd_full' | 'exe' | 'state'
>;

/** Returns the fields that identify a process. */
export function identify(process: ProcessFacts, snapshot: ProcessSnapshot): Identity {
  return {
    pid: process.pid,
    startTicks: process.startTicks,
    start_id: startId(snapshot, process),
    uid: process.uid,
    ppid: process.ppid,
    cmd_short: shortCommand(process),
    cmd_full: fullCommand(process),
    exe: process.deep?.exe ?? null,
    state: process.state,
  };
}
