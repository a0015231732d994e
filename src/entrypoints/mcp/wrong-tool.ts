import { Fault } from '../../base/fault.ts';
import { effectOf, type Command } from '../../contract/command.ts';

/** A write through the tool for queries, or the other way round: hosts let their users allow the two apart. */
export function wrongTool(command: Command): Fault {
  const effect = effectOf(command);
  return new Fault('E_USAGE', `"${command.path}" is a ${effect}.`, {
    hint: `Call it with call-${effect}.`,
    details: { command: command.path, tool: `call-${effect}` },
  });
}
