import { ownerEndClosed } from '../grounds/owner-end.ts';
import { hasMarkOfDeed, type FindVeto, type VetoFacts } from './veto.ts';

/** A person started the process to outlive its terminal: it ignores SIGHUP, or a shell put it into the background with a log file. */
export const nohupVeto: FindVeto = (facts) => {
  const { use, deep, kind } = facts;
  const hasLogFile = deep.stdio[1].kind === 'file';
  // A tool server inherits the ignored signal from an agent that was started with nohup, but not a log file.
  if (use.ignoresHangup && (hasLogFile || !ownerEndClosed(deep, kind)))
    return 'it ignores SIGHUP or has the input of nohup, so it was started to outlive its terminal';
  return hasLogFile && isBackgroundJob(facts)
    ? 'its output goes to a file, so a shell started it in the background'
    : undefined;
};

/** Node resets ignored signals, so nohup does not show; an agent that starts a program to serve it alone reads its output. */
function isBackgroundJob(facts: VetoFacts): boolean {
  const { process, kind } = facts;
  return kind?.name !== 'test_worker' && process.session !== process.pid && !hasMarkOfDeed(facts);
}
