import { Fault } from '../base/fault.ts';
import { SKILL_SYNC_COMMAND } from './sync-skill.ts';
import type { UpdateRun } from './update-run.ts';

/** Codes after which running `update` again may help by itself. */
const TRANSIENT: ReadonlySet<string> = new Set(['E_NETWORK', 'E_TIMEOUT', 'E_RATE_LIMITED', 'E_SERVER']);

/**
 * Turns whatever ended an update into a fault that tells the truth about the machine: which version is installed now, whether
 * the program and the Skill were replaced, and what to do next.
 */
export function explainFailure(error: unknown, run: UpdateRun, signal: AbortSignal): Fault {
  const cause = error instanceof Fault ? error : new Fault('E_UNKNOWN', messageOf(error), { cause: error });
  const code = codeOf(cause, run, signal);
  return new Fault(code, `${sayWhatHappened(code, cause, run)} ${sayWhatToDo(code, cause, run)}`.trim(), {
    ...(cause.hint !== undefined && { hint: cause.hint }),
    details: {
      ...cause.details,
      stage: run.stage,
      previous_version: run.previousVersion,
      current_version: run.currentVersion,
      target_version: run.targetVersion,
      install_method: run.installMethod,
      command: run.command,
      binary_replaced: run.binaryReplaced,
      install_damaged: run.installDamaged,
      skill_sync_status: run.skillSyncStatus,
      ...(owesSkill(run) && {
        skill_sync_command: SKILL_SYNC_COMMAND,
        changelog_command: changelogCommand(run),
      }),
    },
    cause: error,
  });
}

/** After the swap only two causes are told apart: the network's, which a retry may cure, and this machine's. */
function codeOf(cause: Fault, run: UpdateRun, signal: AbortSignal): string {
  // An interruption invites a retry, which these two must never do.
  if (signal.aborted && !run.installDamaged && cause.code !== 'E_INTEGRITY') return 'E_INTERRUPTED';
  if (!run.binaryReplaced) return cause.code;
  return TRANSIENT.has(cause.code) ? 'E_NETWORK' : 'E_IO';
}

function sayWhatHappened(code: string, cause: Fault, run: UpdateRun): string {
  if (run.installDamaged) return cause.message;
  const now = run.binaryReplaced
    ? `deed is now ${run.currentVersion}`
    : `deed is still ${run.currentVersion}`;
  if (code === 'E_INTERRUPTED') {
    return run.binaryReplaced
      ? `The update was interrupted after the program was replaced: ${now}, its Skill is not synced.`
      : `The update was cancelled: no change, ${now}.`;
  }
  if (run.binaryReplaced) return `${now}, but its Skill is not synced: ${cause.message}`;
  return `${cause.message} Nothing was changed: ${now}${owesSkill(run) ? ', its Skill is not synced yet' : ''}.`;
}

function sayWhatToDo(code: string, cause: Fault, run: UpdateRun): string {
  if (code === 'E_INTEGRITY') return 'This is an integrity failure: do NOT retry, stop and report it.';
  if (owesSkill(run)) return `Run "${SKILL_SYNC_COMMAND}" or "deed update", then "${changelogCommand(run)}".`;
  if (code === 'E_INTERRUPTED')
    return 'Run "deed update" again when you want it; it starts from the beginning.';
  if (TRANSIENT.has(code)) return 'This is transient: run "deed update" again, it is idempotent.';
  return cause.hint ?? '';
}

/** The program is new, by this update or an earlier one, and its Skill is not. */
function owesSkill(run: UpdateRun): boolean {
  return run.skillSyncStatus === 'pending' || run.skillSyncStatus === 'failed';
}

function changelogCommand(run: UpdateRun): string {
  return `deed changelog --since ${run.previousVersion}`;
}

function messageOf(error: unknown): string {
  return `Unexpected failure: ${error instanceof Error ? error.message : String(error)}.`;
}
