import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { systemCode } from '../../base/system-fault.ts';
import type { System } from '../../contract/system.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import { findProgram } from '../../system/find-program.ts';
import { killByEnvironment } from '../../system/process-tree.ts';
import { uniqueName } from '../../system/unique-name.ts';
import { createRepository } from '../../work/workspace/create-repository.ts';
import { FIRST_FILES } from './demo-project.ts';

/** The isolated environment of one demo: account home, deed home, programs and a repository in one folder. */
export interface DemoEnvironment {
  readonly folder: string;
  readonly repository: string;
  /** The folder with our programs. */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  /** Returns the names of programs that are not installed. */
  readonly missing: (names: readonly string[]) => readonly string[];
  readonly write: (path: string, content: string) => string;
  /** Terminates all processes of the demo that are still running. */
  readonly terminateAll: () => void;
}

const PROGRAMS = ['deed', 'vybe', 'pt', 'ai-agent'];
/** The environment variable of every process of a demo, so that no other process is affected. */
export const DEMO_MARK = 'DEED_DEMO';

/** Creates the folder. From here on nothing outside it is read or written: no settings, store or keys of this account. */
export async function createEnvironment(
  system: System,
  requested: string | undefined,
  keys: Readonly<Record<string, string>> = {},
): Promise<DemoEnvironment> {
  const folder =
    requested === undefined ? temporaryFolder(system) : newFolder(resolve(system.cwd, requested));
  const repository = join(folder, 'repository');
  const bin = join(folder, 'bin');
  const mark = `${DEMO_MARK}=${uniqueName()}`;
  const write = (path: string, content: string): string => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  for (const [path, content] of Object.entries(FIRST_FILES)) write(join('repository', path), content);
  const env = { ...environment(system, folder, bin, mark), ...keys };
  const missing = (names: readonly string[]): readonly string[] =>
    names.filter((name) => findProgram(name, env['PATH'] ?? '') === undefined);
  if (missing(['git']).length === 0)
    await createRepository({ env }, repository, { name: 'Demo', email: 'demo@example.org' });
  linkPrograms(system.executable, bin);
  write('enter.sh', renderEnterScript(folder, bin));
  return {
    folder,
    repository,
    bin,
    env,
    missing,
    write,
    terminateAll: () => killByEnvironment(mark),
  };
}

function temporaryFolder(system: System): string {
  return mkdtempSync(join(system.env['TMPDIR'] || tmpdir(), 'deed-demo-'));
}

/** A requested folder must be new or empty, because the demo must not change existing files. */
function newFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length === 0) return folder;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  throw new Fault('E_CONFLICT', `${folder} exists and is not an empty folder.`, {
    hint: 'Pass a new folder, or omit --folder.',
    details: { field: 'folder', path: folder },
  });
}

/** Excludes the account's configuration, so that the demo is the same for every user. */
function environment(system: System, folder: string, bin: string, mark: string): Record<string, string> {
  const [name = '', value = ''] = mark.split('=');
  const inherited = Object.entries(childEnvironment(system.env)).filter(([key]) => !key.startsWith('XDG_'));
  return {
    ...Object.fromEntries(inherited),
    PATH: `${bin}:${system.env['PATH'] ?? ''}`,
    HOME: folder,
    DEED_HOME: join(folder, '.deed'),
    [name]: value,
  };
}

/** Links the four programs of this build into the demo's PATH. */
function linkPrograms({ path }: System['executable'], bin: string): void {
  mkdirSync(bin);
  for (const program of PROGRAMS) symlinkSync(path, join(bin, program));
}

/** A script for users who want to inspect the result. */
function renderEnterScript(folder: string, bin: string): string {
  return `# Source this file to use the programs and the data of the demo.
export HOME=${quoteForShell(folder)} DEED_HOME=${quoteForShell(join(folder, '.deed'))} PATH=${quoteForShell(bin)}:"$PATH"
cd ${quoteForShell(join(folder, 'repository'))}
`;
}
