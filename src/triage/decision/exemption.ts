import type { Exemption } from '../assessment.ts';
import { isProtectedName } from '../parameters/protected-names.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import type { ProcessFacts, Snapshot } from '../process-snapshot.ts';

export type FindExemption = (process: ProcessFacts) => Exemption | null;

/** Prepares the question whether a process may be acted on at all. `uid` is whose processes are meant: the observer's own, or one root asked for. */
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
    // One that was gone before its owner could be read is another user's only if it was there for long enough to have one.
    if (process.uid !== uid && (process.uid !== null || process.cpuTicksDelta !== null)) return 'other_user';
    if (ownTty !== 0 && process.session === observer.session && process.tty === ownTty) return 'own_session';
    // Less than the window is known of it, and a pid that was just given out is the one to be mistaken about.
    return process.cpuTicksDelta === null ? 'young' : null;
  };
}

function programName(command: readonly string[] | null): string {
  const program = command?.[0] ?? '';
  return program.slice(program.lastIndexOf('/') + 1).slice(0, 15);
}
