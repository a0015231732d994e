import type { CommandContext } from '../../contract/command.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import type { CapabilitiesResult } from '../../triage/triage.ts';
import { triageOf } from '../open-triage.ts';

/** Processes can be seen: all of them, or only those of this account. */
export const checkProc: Checker = async (context) => {
  if (context.system.platform !== 'linux')
    return warn('proc', 'There is no /proc here: processes cannot be judged.', 'Use Linux for triage.');
  const { proc, hidepid } = await platformOf(context);
  if (!proc)
    return fail(
      'proc',
      '/proc cannot be read.',
      'Mount it, or start the container with one: mount -t proc proc /proc',
    );
  if (hidepid === '0' || hidepid === 'unknown') return pass('proc', 'Processes can be seen.');
  return warn(
    'proc',
    `/proc is mounted with hidepid=${hidepid}: processes of other accounts are not seen.`,
    'Nothing need be done to judge one’s own; for all, look as root or mount it with hidepid=0.',
  );
};

/** A process can be held by a descriptor, so that a signal hits the one that is meant or nobody. */
export const checkSignals: Checker = async (context) => {
  const fix = 'Use Linux 5.3 or newer with a C library that can be called, and no filter on pidfd_open.';
  if (context.system.platform !== 'linux')
    return warn('signals', 'Processes cannot be ended safely here; triage only looks.', fix);
  return (await platformOf(context)).pidfd
    ? pass('signals', 'Signals go through descriptors of processes.')
    : fail('signals', 'This system gives no descriptors of processes: triage can end nothing.', fix);
};

async function platformOf(context: CommandContext): Promise<CapabilitiesResult['platform']> {
  const { platform } = await triageOf(context).capabilities('');
  return platform;
}
