import { findServer } from '../../app/connection-file.ts';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';

/**
 * Runs a job and names the page where it can be watched, while `deed web` is running: on standard error at the start, and as `watch` in the
 * answer or in the details of the fault. Programs pass it on to a person.
 */
export async function withWatchLink<T extends object>(
  jobId: string,
  context: CommandContext,
  run: () => Promise<T>,
): Promise<T & { readonly watch?: string }> {
  const server = findServer('web', context);
  if (server === undefined) return run();
  const watch = `${server}/jobs/${jobId}`;
  context.progress(`watch it: ${watch}`);
  try {
    return { ...(await run()), watch };
  } catch (error) {
    throw error instanceof Fault ? withDetail(error, { watch }) : error;
  }
}

function withDetail(fault: Fault, more: { readonly watch: string }): Fault {
  const { code, message, hint, details, unchanged, cause } = fault;
  return new Fault(code, message, {
    ...(hint !== undefined && { hint }),
    details: { ...details, ...more },
    unchanged,
    cause: cause ?? fault,
  });
}
