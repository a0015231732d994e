import { ownMember } from '../base/own-member.ts';
import type { Command, CommandTable } from './command.ts';

/** Loads one command on demand. */
export type CommandLoader = () => Promise<{ readonly default: Command }>;

/** Creates a table from loaders by path; a loaded command must have the path it is listed under. */
export function createTable(loaders: Readonly<Record<string, CommandLoader>>): CommandTable {
  const paths = Object.keys(loaders);
  const load = async (path: string): Promise<Command> => {
    const loader = ownMember(loaders, path);
    if (loader === undefined) throw new Error(`no command is listed as "${path}"`);
    const { default: command } = await loader();
    if (command.path !== path) throw new Error(`"${path}" is listed, but its file defines "${command.path}"`);
    return command;
  };
  return {
    paths,
    has: (path) => Object.hasOwn(loaders, path),
    load,
    loadAll: () => Promise.all(paths.map(load)),
  };
}
