import { fail, pass, type Checker } from '../../contract/health-check.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import { findProgram } from '../../system/find-program.ts';
import { runCommand } from '../../system/run-command.ts';

const TIMEOUT_MS = 5000;

/** Work on a tree needs git, which tells what belongs to it. */
export const checkGit: Checker = async ({ system, signal }) => {
  const program = findProgram('git', system.env.PATH ?? '');
  const fix = 'Install git, or put it into PATH.';
  if (program === undefined) return fail('git', 'There is no git in PATH.', fix);
  const { exitCode, stdout } = await runCommand([program, '--version'], {
    cwd: '/',
    env: childEnvironment(system.env),
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (exitCode !== 0) return fail('git', `${program} does not run (exit ${exitCode ?? 'by a signal'}).`, fix);
  return pass('git', `${stdout.trim().slice(0, 80)}.`);
};
