import { rmSync } from 'node:fs';
import { childEnvironment } from '../system/child-environment.ts';
import { runCommand } from '../system/run-command.ts';
import type { UpdateContext } from './update-context.ts';
import { parseVersion, renderVersion } from './version.ts';

const FOLDER = 'update-probe';
const TIMEOUT_MS = 20_000;

/**
 * Starts an executable to ask for its version; nothing when it does not start or tells none. It runs with an empty home of its
 * own, so that a version that is not installed yet leaves no trace in the real one. Contract: runs under the update's lock.
 */
export async function probeVersion(executable: string, context: UpdateContext): Promise<string | undefined> {
  const discard = (): void => rmSync(context.home.at(FOLDER), { recursive: true, force: true });
  // A killed update may have left one.
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
