import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { faultFromSystem } from '../base/system-fault.ts';

export interface DetachedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Takes what the process says. */
  readonly log: string;
}

/** Starts a program that outlives this process, in a session of its own; gives its pid once it runs. */
export function startDetached(argv: readonly string[], options: DetachedOptions): Promise<number> {
  const [program = '', ...args] = argv;
  const log = openSync(options.log, 'a', 0o600);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    child.once('error', (error) => reject(faultFromSystem(error, 'start', program)));
    child.once('spawn', () => {
      child.unref();
      resolve(child.pid ?? 0);
    });
  });
}
