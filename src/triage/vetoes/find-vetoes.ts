import { printable } from '../../base/text.ts';
import { ageVeto } from './age.ts';
import { connectionVeto } from './connection.ts';
import { debuggerVeto } from './debugger.ts';
import { desktopVeto } from './desktop.ts';
import { deviceVeto } from './device.ts';
import { feedbackVeto } from './feedback.ts';
import { jobControlVeto } from './job-control.ts';
import { swapFileVeto } from './swap-file.ts';
import { kindVeto } from './kind.ts';
import { listenerVeto } from './listener.ts';
import { livingParentVeto } from './living-parent.ts';
import { lockVeto } from './lock.ts';
import { nohupVeto } from './nohup.ts';
import { progressVeto } from './progress.ts';
import { recentWriteVeto } from './recent-write.ts';
import { streamsVeto } from './streams.ts';
import type { FindVeto, Veto, VetoFacts, VetoName } from './veto.ts';

/** The vetoes that a process is checked for on its own, in the order in which they are reported. */
const OWN: readonly (readonly [VetoName, FindVeto])[] = [
  ['feedback', feedbackVeto],
  ['kind', kindVeto],
  ['desktop', desktopVeto],
  ['connection', connectionVeto],
  ['listener', listenerVeto],
  ['streams', streamsVeto],
  ['device', deviceVeto],
  ['lock', lockVeto],
  ['journal', swapFileVeto],
  ['recent_write', recentWriteVeto],
  ['progress', progressVeto],
  ['job_control', jobControlVeto],
  ['debugger', debuggerVeto],
  ['nohup', nohupVeto],
  ['living_parent', livingParentVeto],
  ['age', ageVeto],
];

/** What does not apply to a descendant: it belongs to its parent, which is checked itself. */
const NOT_INHERITED: ReadonlySet<VetoName> = new Set(['nohup', 'living_parent', 'age']);

export const UNREADABLE: Veto = {
  veto: 'unreadable',
  reason: 'its files and connections could not be read',
};

/** Facts of one process; without deep facts every automatic action is vetoed. */
export type PossibleFacts = Omit<VetoFacts, 'deep' | 'use'>;

/** Returns the vetoes of a process on its own. */
export function findOwnVetoes(facts: PossibleFacts, isDescendant = false): readonly Veto[] {
  const { deep } = facts.process;
  if (deep === null || deep.use === undefined || !deep.descriptorsReadable) return [UNREADABLE];
  const complete = { ...facts, deep, use: deep.use };
  return OWN.flatMap(([veto, find]) => {
    if (isDescendant && NOT_INHERITED.has(veto)) return [];
    const reason = find(complete);
    // Paths and names are text of other programs.
    return reason === undefined ? [] : [{ veto, reason: printable(reason) }];
  });
}
