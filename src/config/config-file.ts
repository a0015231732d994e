import { dirname } from 'node:path';
import { sha256 } from '../system/digest.ts';
import { Fault } from '../base/fault.ts';
import { isPlainObject } from '../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import { withLock } from '../system/lock.ts';
import { ensurePrivateFolder } from '../system/private-folder.ts';

/** The content of a configuration file: its values by dotted name, and a version that changes with its bytes. */
export interface ConfigFile {
  readonly values: Readonly<Record<string, unknown>>;
  readonly version: string;
}

/** Reads a configuration file; a missing one is empty, a damaged one is a fault and is not modified. */
export function readConfigFile(path: string): ConfigFile {
  const text = readFileIfPresent(path);
  return text === undefined ? { values: {}, version: 'absent' } : parseConfigFile(path, text);
}

/** Parses the content of a configuration file; the path is only for the message. */
export function parseConfigFile(path: string, text: string): ConfigFile {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    throw damaged(path, 'is not JSON', error);
  }
  if (!isPlainObject(values)) throw damaged(path, 'is not a JSON object');
  return { values, version: sha256(text).slice(0, 16) };
}

/** Changes a configuration file under a lock; the change is applied to the current content on disk. */
export async function changeConfigFile(
  path: string,
  change: (current: ConfigFile) => Readonly<Record<string, unknown>>,
): Promise<ConfigFile> {
  ensurePrivateFolder(dirname(path));
  const apply = (): ConfigFile => {
    const values = change(readConfigFile(path));
    const sorted = Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileDurably(path, `${JSON.stringify(sorted, null, 2)}\n`);
    return readConfigFile(path);
  };
  return withLock(`${path}.lock`, apply, { nothingChangedYet: true });
}

function damaged(path: string, problem: string, cause?: unknown): Fault {
  return new Fault('E_CONFIG', `The configuration ${path} ${problem}.`, {
    hint: `Fix ${path}, or move it away to start with the defaults.`,
    details: { path, problem },
    cause,
  });
}
