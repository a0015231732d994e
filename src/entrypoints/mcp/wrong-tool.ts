import { Fault } from '../../base/fault.ts';
import { effectOf, type Command } from '../../contract/command.ts';

/** The fault for a write through call-read, or a read through call-write: hosts let users permit the two separately. */
export function wrongTool(command: Command): Fault {
  const effect = effectOf(command);
  return new Fault('E_USAGE', `"${command.path}" is a ${effect}.`, {
    hint: `Call it with call-${effect}.`,
    details: { command: command.path, tool: `call-${effect}` },
  });
}
