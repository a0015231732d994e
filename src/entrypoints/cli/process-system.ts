import { realpathSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import type { Executable, System } from '../../contract/system.ts';
import { accountName, ownUid } from '../../system/account.ts';

/** The system of this process; the signal aborts reading from standard input. */
export function processSystem(signal: AbortSignal = new AbortController().signal): System {
  const uid = ownUid();
  // Destructured, because the bundler would replace `process.platform` with the value of the build machine.
  const { platform, arch } = process;
  let user: string | undefined;
  return {
    env: process.env,
    cwd: currentFolder(),
    userHome: process.env.HOME || homedir(),
    platform,
    arch,
    account: {
      get user() {
        return (user ??= accountName(uid));
      },
      uid,
      euid: process.geteuid?.() ?? uid,
      gid: process.getgid?.() ?? 0,
      host: hostname(),
    },
    clock: { now: Date.now },
    executable: thisExecutable(),
    fetch: globalThis.fetch,
    hasTerminal: () => process.getBuiltinModule('node:tty').isatty(0),
    readStdin: (maxBytes, waitMs) => readStdin(maxBytes, waitMs, signal),
  };
}

/** Our executables are compiled with Bun; a program that uses the library is a Node script. */
function thisExecutable(): Executable {
  const { bun, node } = process.versions;
  const { execPath } = process;
  if (bun !== undefined) return { path: execPath, command: [execPath], runtime: `bun ${bun}` };
  return { path: scriptPath(), command: [execPath, scriptPath()], runtime: `node ${node}` };
}

/** The working folder may have been removed; PWD then still has its path. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD || '/';
  }
}

function scriptPath(): string {
  const script = process.argv[1];
  if (script === undefined) return process.execPath;
  try {
    return realpathSync(script);
  } catch {
    return script;
  }
}

async function readStdin(
  maxBytes: number,
  waitMs: number | undefined,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (waitMs !== undefined && process.stdin.isTTY) throw noInput('is a terminal');
  signal.throwIfAborted();
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  const abandon = (reason: unknown): void => {
    process.stdin.destroy();
    reject(reason);
  };
  const onAbort = (): void => abandon(signal.reason);
  const onTimeout = (): void => abandon(noInput(`sent no data for ${waitMs} ms`));
  const timer = waitMs === undefined ? undefined : setTimeout(onTimeout, waitMs);
  const reading = collectStdin(maxBytes);
  signal.addEventListener('abort', onAbort);
  if (timer !== undefined) process.stdin.once('data', () => clearTimeout(timer));
  try {
    return await Promise.race([reading, abandoned]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    reading.catch(() => undefined);
  }
}

async function collectStdin(maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw tooMuchInput(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw faultFromSystem(error, 'read', 'standard input');
  }
  return Buffer.concat(chunks);
}

function noInput(problem: string): Fault {
  return new Fault('E_USAGE', `No input: standard input ${problem}.`, {
    hint: 'Pipe the input in, or pass it as an argument.',
    details: { field: 'input' },
  });
}

function tooMuchInput(maxBytes: number): Fault {
  return new Fault('E_VALIDATION', `Standard input has more than ${maxBytes} bytes.`, {
    hint: 'Send less, or split the call.',
    details: { field: 'input', max: maxBytes },
  });
}
