import type { LiveProcess } from '../actions/live-process.ts';
import { isProtectedName } from '../parameters/protected-names.ts';
import { EXEMPT } from './evaluate-gates.ts';

/** Who is about to act, as the machine sees it now. */
export interface Actor {
  readonly pid: number;
  readonly uid: number;
  readonly session: number;
  /** Zero when it runs without a terminal; then a session is nobody's desk. */
  readonly tty: number;
  readonly ancestors: readonly number[];
}

export interface ProtectionRules {
  readonly protectedNames: readonly string[];
  /** Whose processes may be acted on. */
  readonly uid: number;
}

/**
 * Says why a process may not be touched as it is right now. The plan asked the same when it was made; this is asked again of every
 * process right before a signal, of the members of a tree too.
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

/** Finds out who this process is and what it runs below. */
export function identifyActor(
  pid: number,
  uid: number,
  look: (pid: number) => LiveProcess | undefined,
): Actor {
  const self = look(pid);
  const ancestors: number[] = [];
  let parent = self?.ppid ?? 0;
  while (parent > 0 && !ancestors.includes(parent)) {
    ancestors.push(parent);
    parent = look(parent)?.ppid ?? 0;
  }
  return { pid, uid, session: self?.session ?? 0, tty: self?.tty ?? 0, ancestors };
}
