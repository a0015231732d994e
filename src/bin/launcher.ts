/**
 * Starts the executable of the platform package. The npm package contains this launcher because npm can be configured not to run install
 * scripts; otherwise the install script replaces it with the executable. It must run on Node 18.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { ProgramName } from '../system/program-names.ts';
import { PROGRAM_VARIABLE } from '../system/program-variable.ts';
import { findPlatformExecutable, platformPackages } from '../system/platform-executable.ts';
import { windowsProblem } from '../system/windows-problem.ts';
import { answerStartFailure, NO_PROC, type StartFailure } from './start-failure.ts';

/** A terminal sends these signals to the launcher and to the executable. */
const TERMINAL_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGHUP'] as const;

/** Runs one of the programs with the arguments, files and signals of this process, and exits as it exits. */
export function launch(name: ProgramName): void {
  // The executable can start neither in a deleted folder nor without /proc, and would print no envelope.
  if (!hasWorkingDirectory()) return answerStartFailure(name, DELETED_DIRECTORY);
  if (process.platform === 'linux' && !existsSync('/proc/self/maps'))
    return answerStartFailure(name, NO_PROC);
  const executable = findPlatformExecutable(__filename);
  if (executable === undefined) return answerStartFailure(name, missingPackage(name));
  try {
    start(name, executable);
  } catch (error) {
    // Node throws some failures of a spawn, such as ETXTBSY, and emits the others.
    answerStartFailure(name, notStarted(executable, error as Error));
  }
}

function start(name: ProgramName, executable: string): void {
  const child = spawn(executable, process.argv.slice(2), {
    stdio: 'inherit',
    env: { ...process.env, [PROGRAM_VARIABLE]: name },
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  // A second signal makes the executable exit without cleanup, so a signal of the terminal is not forwarded.
  for (const signal of TERMINAL_SIGNALS) process.on(signal, isOnTerminal ? () => undefined : forward);
  process.on('SIGTERM', forward);
  child.on('error', (error) => answerStartFailure(name, notStarted(executable, error)));
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code ?? 1);
    process.removeAllListeners(signal);
    return process.kill(process.pid, signal);
  });
}

const DELETED_DIRECTORY: StartFailure = {
  message: 'The working directory was deleted.',
  hint: 'Change to an existing folder and run the command again.',
  details: { reason: 'ENOENT' },
};

function hasWorkingDirectory(): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    return false;
  }
}

function missingPackage(name: ProgramName): StartFailure {
  const { platform, arch } = process;
  const [first] = platformPackages(platform, arch);
  if (platform === 'win32') {
    const { message, hint } = windowsProblem(name);
    return {
      message,
      hint: `${hint} Command inside WSL: npm install --global deed-cli.`,
      details: { platform, arch },
    };
  }
  return {
    message: `No executable for ${platform} ${arch}: the package ${first} is not installed.`,
    hint: 'On Linux and macOS, x64 or arm64, reinstall it with optional dependencies: npm install --global --include=optional deed-cli. Other platforms are not supported.',
    details: { platform, arch, package: first },
  };
}

function notStarted(executable: string, error: Error): StartFailure {
  const reason = (error as NodeJS.ErrnoException).code ?? error.message;
  return {
    message: `The executable ${executable} cannot be started (${reason}).`,
    hint: 'Reinstall it: npm install --global deed-cli.',
    details: { path: executable, reason },
  };
}
