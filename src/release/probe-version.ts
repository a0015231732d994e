import { rmSync } from 'node:fs';
import { childEnvironment } from '../system/child-environment.ts';
import { runCommand } from '../system/run-command.ts';
import type { UpdateContext } from './update-context.ts';
import { parseVersion, renderVersion } from './version.ts';

const FOLDER = 'update-probe';
const TIMEOUT_MS = 20_000;

/**
 * Runs an executable with --version and returns its version; undefined when it does not start or prints none. It runs with an empty
 * home, so that a version that is not installed yet does not write to the real one. Contract: runs under the update lock.
 */
export async function probeVersion(executable: string, context: UpdateContext): Promise<string | undefined> {
  const discard = (): void => rmSync(context.home.at(FOLDER), { recursive: true, force: true });
  // Left over from a killed update.
  discard();
  const home = context.home.folder(FOLDER);
  try {
    const { exitCode, stdout } = await runCommand([executable, '--version', '--format', 'raw'], {
      cwd: home,
      env: childEnvironment(context.env, { DEED_HOME: home, HOME: home }),
      timeoutMs: TIMEOUT_MS,
      signal: context.signal,
      maxOutputBytes: 4096,
    });
    const version = exitCode === 0 ? parseVersion(stdout.trim()) : undefined;
    return version === undefined ? undefined : renderVersion(version);
  } catch {
    return undefined;
  } finally {
    discard();
  }
}
