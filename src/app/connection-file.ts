import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isPlainObject, type JsonObject } from '../base/json.ts';
import type { CommandContext } from '../contract/command.ts';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import { identifyProcess, processSpace } from '../system/process-identity.ts';

export interface ConnectionFile {
  readonly path: string;
  readonly write: (connection: JsonObject) => void;
  readonly remove: () => void;
}

interface ConnectionPlace {
  /** The folder of the home for servers of this kind. */
  readonly folder: 'mcp' | 'web';
  /** A file that the caller named instead. */
  readonly named: string | undefined;
}

/** The private file with the URL and secret of a server: arguments and terminal output are visible to others. */
export function connectionFile(
  { folder, named }: ConnectionPlace,
  { home, system }: CommandContext,
  pid: number,
): ConnectionFile {
  if (named === undefined) removeStaleFiles(home.folder(folder));
  const path = named === undefined ? home.at(folder, `http-${pid}.json`) : resolve(system.cwd, named);
  return {
    path,
    write: (connection) =>
      writeFileDurably(path, `${JSON.stringify({ ...connection, pid, space: processSpace() })}\n`, {
        mode: 0o600,
        sync: false,
      }),
    remove: () => rmSync(path, { force: true }),
  };
}

/** The URL of a running server of this kind; undefined if there is none in this container. */
export function findServer(
  folder: ConnectionPlace['folder'],
  { home }: Pick<CommandContext, 'home'>,
): string | undefined {
  const path = home.at(folder);
  for (const name of existsSync(path) ? readdirSync(path) : []) {
    const { pid, space, url } = parseObject(readFileIfPresent(join(path, name))) ?? {};
    const isRunning = typeof pid === 'number' && identifyProcess(pid) !== undefined;
    if (isRunning && space === processSpace() && typeof url === 'string') return url;
  }
  return undefined;
}

/** Removes the files of servers that were killed; a server in another container is not visible, so its file stays. */
function removeStaleFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^http-(\d+)\.json$/u.exec(name)?.[1]);
    if (!Number.isSafeInteger(pid) || identifyProcess(pid) !== undefined) continue;
    const path = join(folder, name);
    const written = parseObject(readFileIfPresent(path));
    if (written?.['space'] === processSpace()) rmSync(path, { force: true });
  }
}

function parseObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
