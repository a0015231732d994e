import { quoteForShell } from '../../base/quote-for-shell.ts';
import { printable } from '../../base/text.ts';
import type { Action, Reversibility, SupervisorInfo } from '../assessment.ts';
import type { ProcessFacts } from '../process-snapshot.ts';

/** Returns whether the recommended action can be undone, and which data is at risk: files that it is writing or has locked. */
export function findReversibility(
  process: ProcessFacts,
  action: Action,
  supervisor: SupervisorInfo,
  canThrottleByCgroup: boolean,
): Reversibility {
  const { deep, command } = process;
  // Logs on standard streams and deleted files are not at risk.
  const files = (deep?.writes ?? []).filter(({ fd, deleted }) => fd > 2 && !deleted);
  const folder = deep === null || deep.cwd === null || deep.cwdDeleted ? '' : ` (in ${deep.cwd})`;
  const recovery = [
    ...(supervisor.supervisor_command === null
      ? []
      : [`Start via: ${supervisor.supervisor_command.replace(/ stop (?=\S+$)/u, ' start ')}`]),
    ...(command === null || command.length === 0 ? [] : [`Restart via: ${restartCommand(command)}${folder}`]),
  ];
  return {
    reversible: action === 'throttle' ? canThrottleByCgroup : action !== 'kill' && action !== 'restart',
    recovery_options: action === 'pause' ? [`Resume via: kill -CONT ${process.pid}`, ...recovery] : recovery,
    data_at_risk: (deep?.locks ?? 0) > 0 || files.some(({ moved }) => moved !== false),
    open_write_fds: files.map(({ fd, path, moved }) => ({ fd, path, moving: moved === true })),
    note: noteFor(action, deep === null ? null : supervisor, canThrottleByCgroup),
  };
}

/** Quoted, so that a shell passes the same arguments; only masked secrets have to be filled in. */
function restartCommand(command: readonly string[]): string {
  return printable(command.map(quoteForShell).join(' ').toWellFormed()).replaceAll(/[\n\t]+/gu, ' ');
}

function noteFor(action: Action, supervisor: SupervisorInfo | null, canThrottleByCgroup: boolean): string {
  const supervision = describeSupervision(supervisor);
  switch (action) {
    case 'kill':
      return `${supervision}; kill is final but restartable`;
    case 'pause':
      return `${supervision}; a paused process can be resumed`;
    case 'throttle':
      return canThrottleByCgroup
        ? `${supervision}; the limit can be removed`
        : `${supervision}; throttling lowers the priority here, and only root can raise it again`;
    case 'restart':
      return `${supervision}; its state in memory is lost`;
    case 'review':
    case 'spare':
      return `${supervision}; no action is taken`;
  }
}

/** Without deep facts, supervision is unknown. */
function describeSupervision(supervisor: SupervisorInfo | null): string {
  if (supervisor === null) return 'Supervision unknown: the process was not inspected';
  return supervisor.detected ? `Supervised by ${supervisor.type}` : 'Not supervised';
}
