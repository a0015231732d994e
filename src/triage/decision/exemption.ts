import type { Exemption } from '../assessment.ts';
import { isProtectedName } from '../parameters/protected-names.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import type { ProcessFacts, Snapshot } from '../process-snapshot.ts';

export type FindExemption = (process: ProcessFacts) => Exemption | null;

/** Creates a function that returns why a process must not be acted on. `uid`: the account whose processes may be acted on. */
export function createExemption(
  snapshot: Snapshot,
  { names }: Parameters,
  uid = snapshot.observer.uid,
): FindExemption {
  const { observer } = snapshot;
  const ancestors = new Set(observer.ancestors);
  const ownTty = snapshot.processes.find(({ pid }) => pid === observer.pid)?.tty ?? 0;
  const isProtected = (name: string): boolean => name !== '' && isProtectedName(name, names.protected);
  return (process) => {
    if (process.pid <= 1) return 'init';
    if (process.kernel) return 'kernel_thread';
    if (process.pid === observer.pid) return 'itself';
    if (ancestors.has(process.pid)) return 'ancestor';
    if (isProtected(process.comm) || isProtected(programName(process.command))) return 'protected_name';
    // A process with an unknown owner counts as another user's only if it was in both samples.
    if (process.uid !== uid && (process.uid !== null || process.cpuTicksDelta !== null)) return 'other_user';
    if (ownTty !== 0 && process.session === observer.session && process.tty === ownTty) return 'own_session';
    // It was observed for less than the window, and its pid may just have been reused.
    return process.cpuTicksDelta === null ? 'young' : null;
  };
}

function programName(command: readonly string[] | null): string {
  const program = command?.[0] ?? '';
  return program.slice(program.lastIndexOf('/') + 1).slice(0, 15);
}
