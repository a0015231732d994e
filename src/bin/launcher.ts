/**
 * Starts the executable of the npm package when the install script has not replaced this launcher, for example with
 * `--ignore-scripts`. It must run on Node 18.
 */
import { spawn } from 'node:child_process';
import { PROGRAM_VARIABLE, type ProgramName } from './program-name.ts';
import { findPlatformExecutable, platformPackages } from '../system/platform-executable.ts';
import { answerStartFailure, type StartFailure } from './start-failure.ts';

/** A terminal sends these to both the launcher and the executable. */
const TERMINAL_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGHUP'] as const;

/** Runs the executable as one of its programs, with this process's arguments, streams and signals, and exits with its status. */
export function launch(name: ProgramName): void {
  const executable = findPlatformExecutable(__filename);
  if (executable === undefined) return answerStartFailure(name, missingPackage());
  const child = spawn(executable, process.argv.slice(2), {
    stdio: 'inherit',
    env: { ...process.env, [PROGRAM_VARIABLE]: name },
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  // The executable exits immediately on a second signal.
  for (const signal of TERMINAL_SIGNALS) process.on(signal, isOnTerminal ? () => undefined : forward);
  process.on('SIGTERM', forward);
  child.on('error', (error) => answerStartFailure(name, notStarted(executable, error)));
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code ?? 1);
    process.removeAllListeners(signal);
    return process.kill(process.pid, signal);
  });
}

function missingPackage(): StartFailure {
  const { platform, arch } = process;
  const [first] = platformPackages(platform, arch);
  if (platform === 'win32') {
    return {
      message: 'deed does not run on Windows.',
      hint: 'Install it in WSL, the Windows Subsystem for Linux: npm install --global deed-cli.',
      details: { platform, arch },
    };
  }
  return {
    message: `No executable for ${platform} ${arch}: the package ${first} is not installed.`,
    hint: 'deed runs on Linux and macOS, x64 and arm64. Reinstall it with optional dependencies: npm install --global --include=optional deed-cli.',
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
