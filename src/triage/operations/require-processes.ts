import { Fault } from '../../base/fault.ts';
import { createProcReader } from '../proc/proc-reader.ts';
import type { TriageContext } from './triage-context.ts';

/**
 * Throws if processes are not visible on this system. Otherwise the plan would have no candidates, and verify would report that all
 * processes have exited.
 */
export function requireProcesses(context: TriageContext): TriageContext {
  const { platform, procRoot } = context.environment;
  if (platform !== 'linux') {
    throw new Fault('E_CONFIG', `Process triage requires Linux; this is ${platform}.`, {
      hint: 'Run it on Linux, for example in a container or a virtual machine.',
      details: { platform },
    });
  }
  const names = createProcReader(procRoot).list('') ?? [];
  if (names.some((name) => /^\d+$/u.test(name))) return context;
  throw new Fault('E_CONFIG', `${procRoot} contains no processes.`, {
    hint: `Mount it: mount -t proc proc ${procRoot}`,
    details: { path: procRoot },
  });
}
