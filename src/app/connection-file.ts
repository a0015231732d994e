import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isPlainObject, type JsonObject } from '../base/json.ts';
import type { CommandContext } from '../contract/command.ts';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import { identifyProcess, isSameProcessAlive, processSpace } from '../system/process-identity.ts';

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
    write: (connection) => {
      const owner = { pid, started_at: identifyProcess(pid)?.startedAt ?? '', space: processSpace() };
      writeFileDurably(path, `${JSON.stringify({ ...connection, ...owner })}\n`, {
        mode: 0o600,
        sync: false,
      });
    },
    remove: () => rmSync(path, { force: true }),
  };
}

/**
 * The URL of a running server of this kind; undefined if there is none in this container. Of several it is one where people can decide,
 * and the one that was started last.
 */
export function findServer(
  folder: ConnectionPlace['folder'],
  { home }: Pick<CommandContext, 'home'>,
): string | undefined {
  const path = home.at(folder);
  const running = (existsSync(path) ? readdirSync(path) : [])
    .map((name) => readServer(join(path, name)))
    .filter((server) => server !== undefined)
    .toSorted((a, b) => Number(a.isReadOnly) - Number(b.isReadOnly) || b.writtenMs - a.writtenMs);
  return running[0]?.url;
}

interface RunningServer {
  readonly url: string;
  readonly isReadOnly: boolean;
  readonly writtenMs: number;
}

function readServer(path: string): RunningServer | undefined {
  const written = parseObject(readFileIfPresent(path));
  const url = written?.['url'];
  if (written === undefined || typeof url !== 'string' || !isRunning(written)) return undefined;
  const writtenMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return { url, isReadOnly: written['read_only'] === true, writtenMs };
}

/** Whether the server that wrote this runs in this container: a later process may have its pid. */
function isRunning({ pid, started_at: startedAt, space }: Readonly<Record<string, unknown>>): boolean {
  if (typeof pid !== 'number' || space !== processSpace()) return false;
  return isSameProcessAlive({ pid, startedAt: typeof startedAt === 'string' ? startedAt : '' });
}

/** Removes the files of servers that were killed; a server in another container is not visible, so its file stays. */
function removeStaleFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^http-(\d+)\.json$/u.exec(name)?.[1]);
    const path = join(folder, name);
    const written = Number.isSafeInteger(pid) ? parseObject(readFileIfPresent(path)) : undefined;
    if (written?.['space'] === processSpace() && !isRunning({ pid, ...written }))
      rmSync(path, { force: true });
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
