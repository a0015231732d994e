import { fail, pass, type Checker } from '../../contract/health-check.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import { findProgram } from '../../system/find-program.ts';
import { runCommand } from '../../system/run-command.ts';

const TIMEOUT_MS = 5000;

/** Checks that git is installed: `work` uses it to list the files of a tree. */
export const checkGit: Checker = async ({ system, signal }) => {
  const program = findProgram('git', system.env.PATH ?? '');
  const fix = 'Install git, or add it to PATH.';
  if (program === undefined) return fail('git', 'git is not in PATH.', fix);
  const { exitCode, stdout } = await runCommand([program, '--version'], {
    cwd: '/',
    env: childEnvironment(system.env),
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (exitCode !== 0) return fail('git', `${program} failed (exit ${exitCode ?? 'by a signal'}).`, fix);
  return pass('git', `${stdout.trim().slice(0, 80)}.`);
};
