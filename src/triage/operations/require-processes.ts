import { Fault } from '../../base/fault.ts';
import { createProcReader } from '../proc/proc-reader.ts';
import type { TriageContext } from './triage-context.ts';

/**
 * Refuses to look at processes where the system does not show them. Without this, nothing seen would read as nothing there: a plan
 * without candidates, and a verification by which everything has ended.
 */
export function requireProcesses(context: TriageContext): TriageContext {
  const { platform, procRoot } = context.environment;
  if (platform !== 'linux') {
    throw new Fault('E_CONFIG', `Process triage works on Linux only; this is ${platform}.`, {
      hint: 'Run it on Linux, for example in a container or a virtual machine there.',
      details: { platform },
    });
  }
  const names = createProcReader(procRoot).list('') ?? [];
  if (names.some((name) => /^\d+$/u.test(name))) return context;
  throw new Fault('E_CONFIG', `${procRoot} shows no processes, so there is nothing to judge.`, {
    hint: `Mount it, or start the container with one: mount -t proc proc ${procRoot}`,
    details: { path: procRoot },
  });
}
