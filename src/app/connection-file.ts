import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandContext } from '../contract/command.ts';
import { writeFileDurably } from '../system/durable-file.ts';

export interface ConnectionFile {
  readonly path: string;
  readonly write: (connection: { readonly url: string; readonly token: string }) => void;
  readonly remove: () => void;
}

/** The private file with the URL and token of a server: arguments and terminal output are visible to others. */
export function connectionFile(
  named: string | undefined,
  { home, system }: CommandContext,
  pid: number,
): ConnectionFile {
  const path =
    named === undefined ? join(home.folder('mcp'), `http-${pid}.json`) : resolve(system.cwd, named);
  return {
    path,
    write: (connection) =>
      writeFileDurably(path, `${JSON.stringify({ ...connection, pid })}\n`, { mode: 0o600, sync: false }),
    remove: () => rmSync(path, { force: true }),
  };
}
