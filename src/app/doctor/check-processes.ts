import type { CommandContext } from '../../contract/command.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import type { CapabilitiesResult } from '../../triage/triage.ts';
import { triageOf } from '../open-triage.ts';

/** Checks that /proc can be read and shows the processes of all accounts. */
export const checkProc: Checker = async (context) => {
  if (context.system.platform !== 'linux')
    return warn('proc', 'This platform has no /proc: triage is not available.', 'Use Linux for triage.');
  const { proc, hidepid } = await platformOf(context);
  if (!proc) return fail('proc', '/proc cannot be read.', 'Mount it: mount -t proc proc /proc');
  if (hidepid === '0' || hidepid === 'unknown') return pass('proc', 'All processes are visible.');
  return warn(
    'proc',
    `/proc is mounted with hidepid=${hidepid}: processes of other accounts are hidden.`,
    'Processes of this account are visible. To see all, run as root or mount /proc with hidepid=0.',
  );
};

/** Checks that pidfds are available, so that a signal reaches only the intended process. */
export const checkSignals: Checker = async (context) => {
  const fix = 'Use Linux 5.3 or newer with a dynamic C library and without a seccomp filter on pidfd_open.';
  if (context.system.platform !== 'linux')
    return warn('signals', 'This platform has no pidfds: triage cannot send signals.', fix);
  return (await platformOf(context)).pidfd
    ? pass('signals', 'Signals are sent through pidfds.')
    : fail('signals', 'pidfds are not available: triage cannot send signals.', fix);
};

async function platformOf(context: CommandContext): Promise<CapabilitiesResult['platform']> {
  const { platform } = await triageOf(context).capabilities('');
  return platform;
}
