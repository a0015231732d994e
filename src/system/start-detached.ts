import { closeSync, openSync } from 'node:fs';
import { startChild } from './start-child.ts';

export interface DetachedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The file for its output. */
  readonly log: string;
}

/** Starts a program that outlives this process, in its own session; returns its pid once it runs. */
export async function startDetached(argv: readonly string[], options: DetachedOptions): Promise<number> {
  const log = openSync(options.log, 'a', 0o600);
  const { process: child, started } = startChild(argv, { ...options, stdio: ['ignore', log, log] });
  closeSync(log);
  await started;
  child.unref();
  return child.pid ?? 0;
}
