import type { Exemption } from '../assessment.ts';
import { isProtectedName } from '../parameters/protected-names.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { startId, type ProcessFacts, type ProcessSnapshot } from '../process-snapshot.ts';
import { createNameMatcher } from '../steering/match-names.ts';

export type FindExemption = (process: ProcessFacts) => Exemption | null;

export interface ExemptionOptions {
  /** The account whose processes may be acted on. */
  readonly uid?: number | undefined;
  /** Processes that the caller excludes: a pid, `pid:start_id`, or a name. */
  readonly exclude?: readonly string[] | undefined;
}

/** Creates a function that returns why a process must not be acted on. */
export function createExemption(
  snapshot: ProcessSnapshot,
  { names }: Parameters,
  { uid = snapshot.observer.uid, exclude = [] }: ExemptionOptions = {},
): FindExemption {
  const { observer } = snapshot;
  const isNamedByUser = createNameMatcher(names.protectedPrograms);
  const isExcluded = createExclusion(snapshot, exclude);
  const ancestors = new Set(observer.ancestors);
  const ownTty = snapshot.processes.find(({ pid }) => pid === observer.pid)?.tty ?? 0;
  const isProtected = (name: string): boolean => name !== '' && isProtectedName(name, names.protected);
  return (process) => {
    if (process.pid <= 1) return 'init';
    if (process.kernel) return 'kernel_thread';
    if (process.pid === observer.pid) return 'itself';
    if (ancestors.has(process.pid)) return 'ancestor';
    if (isProtected(process.comm) || isProtected(programName(process.command)) || isNamedByUser(process))
      return 'protected_name';
    if (isExcluded(process)) return 'excluded';
    // A process with an unknown owner counts as another user's only if it was in both samples.
    if (process.uid !== uid && (process.uid !== null || process.cpuTicksDelta !== null)) return 'other_user';
    if (ownTty !== 0 && process.session === observer.session && process.tty === ownTty) return 'own_session';
    // The process was observed for less than the window, so its pid may just have been reused.
    return process.cpuTicksDelta === null ? 'young' : null;
  };
}

function createExclusion(
  snapshot: ProcessSnapshot,
  exclude: readonly string[],
): (process: ProcessFacts) => boolean {
  const ids = new Set(exclude);
  const isNamed = createNameMatcher(exclude);
  return (process) =>
    ids.size > 0 &&
    (ids.has(String(process.pid)) ||
      ids.has(`${process.pid}:${startId(snapshot, process)}`) ||
      isNamed(process));
}

function programName(command: readonly string[] | null): string {
  const program = command?.[0] ?? '';
  return program.slice(program.lastIndexOf('/') + 1).slice(0, 15);
}
