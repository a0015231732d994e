/**
 * Starts the executable from the npm package when no install script has put it in the place of this launcher: npm can be told not to
 * run install scripts. It must run on Node 18.
 */
import { spawn } from 'node:child_process';
import { PROGRAM_VARIABLE, type ProgramName } from './program-name.ts';
import { findPlatformExecutable, platformPackages } from '../system/platform-executable.ts';
import { answerStartFailure, type StartFailure } from './start-failure.ts';

/** A terminal sends these to the launcher and the executable alike. */
const TERMINAL_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGHUP'] as const;

/** Runs the executable as one of its programs, with this process's arguments, files and signals, and ends as it ends. */
export function launch(name: ProgramName): void {
  const executable = findPlatformExecutable(__filename);
  if (executable === undefined) return answerStartFailure(name, missingPackage());
  const child = spawn(executable, process.argv.slice(2), {
    stdio: 'inherit',
    env: { ...process.env, [PROGRAM_VARIABLE]: name },
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  // A signal that arrives twice makes the executable give up at once.
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
      message: 'deed does not run on Windows itself.',
      hint: 'Install it in WSL, the Windows Subsystem for Linux: npm install --global deed-cli.',
      details: { platform, arch },
    };
  }
  return {
    message: `There is no executable for ${platform} ${arch}: the package ${first} is not installed.`,
    hint: 'deed runs on Linux and macOS, x64 and arm64. There, install it again with optional dependencies: npm install --global --include=optional deed-cli.',
    details: { platform, arch, package: first },
  };
}

function notStarted(executable: string, error: Error): StartFailure {
  const reason = (error as NodeJS.ErrnoException).code ?? error.message;
  return {
    message: `The executable ${executable} cannot be started (${reason}).`,
    hint: 'Install it again: npm install --global deed-cli.',
    details: { path: executable, reason },
  };
}
