import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/build-constants.ts';

/** Where a session runs: its own home with a store, and an empty working folder. */
export interface SessionPlace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly dispose: () => void;
}

export function createPlace(): SessionPlace {
  const folder = mkdtempSync(join(tmpdir(), 'deed-tokens-'));
  return {
    folder,
    env: {
      PATH: `${join(ROOT, 'dist/bin')}:${process.env.PATH ?? ''}`,
      HOME: folder,
      DEED_HOME: join(folder, 'home'),
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs vybe to prepare a store; it must succeed. */
export function vybeCall({ folder, env }: SessionPlace, argv: readonly string[]): void {
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(join(ROOT, 'dist/bin/vybe'), argv, options);
  if (status !== 0) throw new Error(`vybe ${argv.join(' ')} exited with ${status}: ${stdout}`);
}
