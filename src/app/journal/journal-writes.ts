import type { JsonObject } from '../../base/json.ts';
import type { FileFacts, Scope } from '../../continuity/scope.ts';
import type { Command } from '../../contract/command.ts';

type Parameters = Readonly<Record<string, unknown>>;
export type DescribeFile = (path: string) => Promise<FileFacts | undefined>;

/** A write to the store in two steps, so that it can be part of a larger transaction. */
export interface JournalWrite {
  readonly prepare: (params: Parameters, describeFile: DescribeFile) => Promise<unknown>;
  readonly apply: (params: Parameters, scope: Scope, prepared: unknown) => Promise<JsonObject>;
}

const registered = new WeakMap<Command, JournalWrite>();

/** Registers the two steps of a command that writes to the store. */
export function registerJournalWrite(command: Command, write: JournalWrite): Command {
  registered.set(command, write);
  return command;
}

/** Returns the two steps of a command. */
export function journalWriteOf(command: Command): JournalWrite {
  const write = registered.get(command);
  if (write === undefined) throw new Error(`"${command.path}" is not a journal write`);
  return write;
}
