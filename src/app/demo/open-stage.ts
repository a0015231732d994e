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
import { foundRepository } from '../../work/workspace/found-repository.ts';
import { FIRST_FILES } from './demo-project.ts';

/** A place of its own for one demo: account home, home of deed, programs and a repository, all in one folder. */
export interface DemoStage {
  readonly folder: string;
  readonly repository: string;
  /** Our programs, as this one was started. */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether there is git, without which nothing can be worked on. */
  readonly hasGit: boolean;
  readonly write: (path: string, content: string) => string;
  /** Ends whatever the demo has started and is still there. */
  readonly strike: () => void;
}

const PROGRAMS = ['deed', 'vybe', 'pt', 'ai-agent'];
/** Every process of a demo carries this, so that none of another one is ever touched. */
export const DEMO_MARK = 'DEED_DEMO';

/** Makes the place. Nothing outside of it is read or written from here on: no settings, no store, no keys of this account. */
export async function openStage(
  system: System,
  asked: string | undefined,
  keys: Readonly<Record<string, string>> = {},
): Promise<DemoStage> {
  const folder = asked === undefined ? temporaryFolder(system) : newFolder(resolve(system.cwd, asked));
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
  const hasGit = findProgram('git', env['PATH'] ?? '') !== undefined;
  if (hasGit) await foundRepository({ env }, repository, { name: 'Demo', email: 'demo@example.org' });
  placePrograms(system.executable, bin);
  write('enter.sh', renderEntrance(folder, bin));
  return {
    folder,
    repository,
    bin,
    env,
    hasGit,
    write,
    strike: () => killByEnvironment(mark),
  };
}

function temporaryFolder(system: System): string {
  return mkdtempSync(join(system.env['TMPDIR'] || tmpdir(), 'deed-demo-'));
}

/** A folder that somebody named must be new or empty: the demo changes nothing that was there before. */
function newFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length === 0) return folder;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  throw new Fault('E_CONFLICT', `${folder} is there already, and not empty.`, {
    hint: 'Name a new folder, or leave --folder out.',
    details: { field: 'folder', path: folder },
  });
}

/** What this account has configured elsewhere must not count: a demo is the same for everybody. */
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

/** Puts the four executables of this very build where the commands that are shown find them. */
function placePrograms({ path }: System['executable'], bin: string): void {
  mkdirSync(bin);
  for (const program of PROGRAMS) symlinkSync(path, join(bin, program));
}

/** For whoever wants to look around afterwards. */
function renderEntrance(folder: string, bin: string): string {
  return `# . this file, and the programs of the demo speak of what it has left behind.
export HOME=${quoteForShell(folder)} DEED_HOME=${quoteForShell(join(folder, '.deed'))} PATH=${quoteForShell(bin)}:"$PATH"
cd ${quoteForShell(join(folder, 'repository'))}
`;
}
