import type { Action, Reversibility, SupervisorInfo } from '../assessment.ts';
import { fullCommand } from '../signatures/command-text.ts';
import type { ProcessFacts } from '../process-snapshot.ts';

/** Whether what is recommended can be undone, and what would be lost: files that it writes now or has locked. */
export function findReversibility(
  process: ProcessFacts,
  action: Action,
  supervisor: SupervisorInfo,
  canThrottleByCgroup: boolean,
): Reversibility {
  const { deep, command } = process;
  // A log on a standard stream, or a file that is deleted anyway, has nothing to lose.
  const files = (deep?.writes ?? []).filter(({ fd, deleted }) => fd > 2 && !deleted);
  const folder = deep === null || deep.cwd === null || deep.cwdDeleted ? '' : ` (in ${deep.cwd})`;
  const recovery = [
    ...(supervisor.supervisor_command === null
      ? []
      : [`Start again via: ${supervisor.supervisor_command.replace(/ stop (?=\S+$)/u, ' start ')}`]),
    ...(command === null || command.length === 0 ? [] : [`Restart via: ${fullCommand(process)}${folder}`]),
  ];
  return {
    reversible: action === 'throttle' ? canThrottleByCgroup : action !== 'kill' && action !== 'restart',
    recovery_options: action === 'pause' ? [`Resume via: kill -CONT ${process.pid}`, ...recovery] : recovery,
    data_at_risk: (deep?.locks ?? 0) > 0 || files.some(({ moved }) => moved !== false),
    open_write_fds: files.map(({ fd, path, moved }) => ({ fd, path, moving: moved === true })),
    note: noteFor(action, deep === null ? null : supervisor, canThrottleByCgroup),
  };
}

function noteFor(action: Action, supervisor: SupervisorInfo | null, canThrottleByCgroup: boolean): string {
  const supervision = tellSupervision(supervisor);
  switch (action) {
    case 'kill':
      return `${supervision}; kill is final but restartable`;
    case 'pause':
      return `${supervision}; a paused process goes on where it stopped`;
    case 'throttle':
      return canThrottleByCgroup
        ? `${supervision}; the limit can be lifted again`
        : `${supervision}; throttling is by priority here, and without rights it cannot be raised again`;
    case 'restart':
      return `${supervision}; what it holds in memory is lost`;
    case 'review':
    case 'spare':
      return `${supervision}; nothing is done to it`;
  }
}

/** Of what was not looked into nothing may be said. */
function tellSupervision(supervisor: SupervisorInfo | null): string {
  if (supervisor === null) return 'Not looked into, so a supervisor is not ruled out';
  return supervisor.detected ? `Supervised by ${supervisor.type}` : 'Not supervised';
}
