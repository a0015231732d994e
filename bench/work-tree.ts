import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../src/system/remove-folder.ts';
import type { WorkspaceContext } from '../src/work/workspace/workspace.ts';

/** A repository with many files. */
export interface BenchTree {
  readonly context: WorkspaceContext;
  readonly folder: string;
  readonly root: string;
  readonly git: (...args: readonly string[]) => void;
  readonly dispose: () => void;
}

/** Creates a repository with a hundred files per folder, all committed. */
export function createBenchTree(files: number): BenchTree {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  const root = join(folder, 'repo');
  mkdirSync(join(folder, 'home'));
  for (let index = 0; index < files; index += 1) {
    const subfolder = join(root, `part${Math.floor(index / 1000)}`, `sub${Math.floor(index / 100) % 10}`);
    if (index % 100 === 0) mkdirSync(subfolder, { recursive: true });
    writeFileSync(join(subfolder, `file${index % 100}.ts`), `export const value${index} = ${index};\n`);
  }
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  };
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'all');
  return {
    context: {
      folder: join(folder, 'home/.deed/work'),
      deedHome: join(folder, 'home/.deed'),
      accountHome: join(folder, 'home'),
      temporaryFolder: tmpdir(),
      platform: 'linux',
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      env: process.env,
      clock: { now: () => Date.now() },
    },
    folder,
    root,
    git,
    dispose: () => removeFolder(folder),
  };
}
