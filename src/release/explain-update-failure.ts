import { errorMessage } from '../base/error-message.ts';
import { Fault } from '../base/fault.ts';
import { SKILL_SYNC_COMMAND } from './sync-skill.ts';
import { changelogCommand, isVersionChange, type UpdateRun } from './update-run.ts';

/** Codes of failures that a retry of `update` may resolve. */
const TRANSIENT: ReadonlySet<string> = new Set(['E_NETWORK', 'E_TIMEOUT', 'E_RATE_LIMITED', 'E_SERVER']);

/**
 * Turns the error that ended an update into a fault that describes the actual state: which version is installed now, whether
 * the program and the Skill were replaced, and what to do next.
 */
export function explainUpdateFailure(error: unknown, run: UpdateRun, signal: AbortSignal): Fault {
  const cause = error instanceof Fault ? error : new Fault('E_UNKNOWN', messageOf(error), { cause: error });
  const code = codeOf(cause, run, signal);
  return new Fault(
    code,
    `${describeOutcome(code, cause, run)} ${describeNextStep(code, cause, run)}`.trim(),
    {
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
        ...(isSkillOutdated(run) && {
          skill_sync_command: SKILL_SYNC_COMMAND,
          ...(isVersionChange(run) && { changelog_command: changelogCommand(run) }),
        }),
      },
      cause: error,
    },
  );
}

/** The Skill sync has its own code, because a retry repeats only the sync. */
function codeOf(cause: Fault, run: UpdateRun, signal: AbortSignal): string {
  // E_INTERRUPTED is retryable; these two failures must not be retried.
  if (signal.aborted && !run.installDamaged && cause.code !== 'E_INTEGRITY') return 'E_INTERRUPTED';
  if (run.stage === 'skill_sync') return 'E_SKILL_SYNC';
  if (!run.binaryReplaced) return cause.code;
  return TRANSIENT.has(cause.code) ? 'E_NETWORK' : 'E_IO';
}

function describeOutcome(code: string, cause: Fault, run: UpdateRun): string {
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
  return `${cause.message} Nothing was changed: ${now}${isSkillOutdated(run) ? ', its Skill is not synced yet' : ''}.`;
}

function describeNextStep(code: string, cause: Fault, run: UpdateRun): string {
  if (code === 'E_INTEGRITY') return 'This is an integrity failure: do NOT retry, stop and report it.';
  if (isSkillOutdated(run)) {
    const then = isVersionChange(run) ? `, then "${changelogCommand(run)}"` : '';
    return `Run "${SKILL_SYNC_COMMAND}" or "deed update"${then}.`;
  }
  if (code === 'E_INTERRUPTED') return 'Run "deed update" again to start over.';
  if (TRANSIENT.has(code)) return 'This is transient: run "deed update" again, it is idempotent.';
  return cause.hint ?? '';
}

/** The program was replaced, by this update or an earlier one, and its Skill was not. */
function isSkillOutdated(run: UpdateRun): boolean {
  return run.skillSyncStatus === 'pending' || run.skillSyncStatus === 'failed';
}

function messageOf(error: unknown): string {
  return `Unexpected failure: ${errorMessage(error)}.`;
}
