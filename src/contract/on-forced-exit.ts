import type { Fault } from '../base/fault.ts';

/**
 * Sets the answer of a command for the case that the process is forced to exit before the command finishes. With `waits`, the process
 * is not forced to exit after the grace period, only by a second signal.
 */
export type OnForcedExit = (createFault: () => Fault, options?: { readonly waits?: boolean }) => void;
