import { accessSync, constants, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Confinement } from '../../../system/confinement/confinement.ts';
import { startProgram } from '../../../system/start-program.ts';
import { uniqueName } from '../../../system/unique-name.ts';
import { isWithin } from '../resolve-tree.ts';
import type { SandboxedProcess } from '../workspace.ts';
import { renderSizeLimit } from './mount-script.ts';
import type { LandlockTools } from './sandbox-tools.ts';
import { waitForEnd, EXEC_SCRIPT } from './start-sandboxed.ts';

export interface ConfinedStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A folder of the workspace for the description of the confinement. */
  readonly folder: string;
  readonly home: string;
  readonly temporary: string;
  /** Folders and files that commands may not read, unless `readPaths` has a path in them. */
  readonly hidden: readonly string[];
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  readonly network: boolean;
  readonly maxFileBytes?: number | undefined;
}

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx', 'pts'];

/** Starts a command that Landlock and seccomp confine. Contract: if it cannot be confined, it fails with E_IO. */
export function startConfined(tools: LandlockTools, start: ConfinedStart): SandboxedProcess {
  const script = [...renderSizeLimit(start.maxFileBytes), EXEC_SCRIPT].join('; ');
  const confinement: Confinement = {
    read: [...listReadable('/', start.hidden), ...start.readPaths],
    write: start.writePaths,
    devices: DEVICES.map((name) => `/dev/${name}`),
    network: start.network,
    argv: ['/bin/sh', '-c', script, ...start.argv],
  };
  const file = join(start.folder, `confinement-${uniqueName()}.json`);
  writeFileSync(file, JSON.stringify(confinement), { mode: 0o600 });
  const started = startProgram([...tools.confine, 'run', file, ...tools.confine], {
    cwd: start.cwd,
    // Landlock hides the real folders, so variables name the folders that programs can write to.
    env: { ...start.env, HOME: start.home, TMPDIR: start.temporary },
    container: true,
  });
  return { ...started, ended: waitForEnd(started) };
}

/**
 * Lists the largest folders that contain nothing hidden. Landlock has no exceptions: a readable folder is readable with everything
 * below it.
 */
export function listReadable(folder: string, hidden: readonly string[]): readonly string[] {
  if (hidden.some((path) => isWithin(path, folder))) return [];
  if (!hidden.some((path) => isWithin(folder, path))) return [folder];
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = folder === '/' ? `/${name}` : `${folder}/${name}`;
    // A rule for a link would apply to its target, which is listed under its own path.
    return isLink(path) ? [] : listReadable(path, hidden);
  });
}

/** Lists the hidden paths that this account can read; the others need no exception. */
export function readableOf(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => {
    try {
      accessSync(path, constants.R_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function isLink(path: string): boolean {
  try {
    return realpathSync(path) !== path;
  } catch {
    return true;
  }
}
