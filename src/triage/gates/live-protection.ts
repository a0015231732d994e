import type { LiveProcess } from '../actions/live-process.ts';
import { isProtectedName } from '../parameters/protected-names.ts';
import { EXEMPT } from './evaluate-gates.ts';

/** The process that is about to act. */
export interface Actor {
  readonly pid: number;
  readonly uid: number;
  readonly session: number;
  /** Zero without a controlling terminal; then its session is not protected. */
  readonly tty: number;
  readonly ancestors: readonly number[];
}

export interface ProtectionRules {
  readonly protectedNames: readonly string[];
  /** The account whose processes may be acted on. */
  readonly uid: number;
}

/**
 * Returns why a process must not be acted on in its current state. The plan checked the same; this check is repeated for every process
 * of a tree right before a signal.
 */
export function protectionOf(live: LiveProcess, actor: Actor, rules: ProtectionRules): string | undefined {
  if (live.pid === actor.pid) return EXEMPT.itself;
  if (actor.ancestors.includes(live.pid)) return EXEMPT.ancestor;
  if (live.pid <= 1) return EXEMPT.init;
  if (live.kernel) return EXEMPT.kernel_thread;
  const program = live.exe?.slice(live.exe.lastIndexOf('/') + 1) ?? '';
  if (
    [live.comm, program.slice(0, 15)].some(
      (name) => name !== '' && isProtectedName(name, rules.protectedNames),
    )
  )
    return `${EXEMPT.protected_name} (${live.comm})`;
  if (live.uid !== rules.uid) return EXEMPT.other_user;
  if (actor.tty !== 0 && live.session === actor.session) return EXEMPT.own_session;
  return undefined;
}

/** Identifies this process and its ancestors. */
export function identifyActor(
  pid: number,
  uid: number,
  readProcess: (pid: number) => LiveProcess | undefined,
): Actor {
  const self = readProcess(pid);
  const ancestors: number[] = [];
  let parent = self?.ppid ?? 0;
  while (parent > 0 && !ancestors.includes(parent)) {
    ancestors.push(parent);
    parent = readProcess(parent)?.ppid ?? 0;
  }
  return { pid, uid, session: self?.session ?? 0, tty: self?.tty ?? 0, ancestors };
}
