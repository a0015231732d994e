import type { Command } from './command.ts';

/** Whether a request id can replace the token of a write: a retry returns the stored answer. True for writes to the store. */
export function acceptsRequestId(command: Command): boolean {
  return command.kind === 'write' && command.recall !== undefined;
}
