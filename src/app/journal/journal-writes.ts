import type { JsonObject } from '../../base/json.ts';
import type { FileFacts, Scope } from '../../continuity/scope.ts';
import type { Command } from '../../contract/command.ts';

type Parameters = Readonly<Record<string, unknown>>;
export type DescribeFile = (path: string) => Promise<FileFacts | undefined>;

/** A write on the store in two steps, so that it can be part of a larger transaction. */
export interface JournalWrite {
  readonly prepare: (params: Parameters, describeFile: DescribeFile) => Promise<unknown>;
  readonly apply: (params: Parameters, scope: Scope, prepared: unknown) => Promise<JsonObject>;
}

const known = new WeakMap<Command, JournalWrite>();

/** Registers how a command writes. */
export function markJournalWrite(command: Command, write: JournalWrite): Command {
  known.set(command, write);
  return command;
}

export function journalWriteOf(command: Command): JournalWrite {
  const write = known.get(command);
  if (write === undefined) throw new Error(`"${command.path}" is not a journal write`);
  return write;
}
