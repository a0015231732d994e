import { realpathSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import type { Executable, System } from '../../contract/system.ts';

/** The real system of this process. */
export function processSystem(): System {
  const uid = process.getuid?.() ?? 0;
  return {
    env: process.env,
    cwd: currentFolder(),
    userHome: process.env.HOME || homedir(),
    platform: process.platform,
    arch: process.arch,
    account: {
      user: userName(),
      uid,
      euid: process.geteuid?.() ?? uid,
      gid: process.getgid?.() ?? 0,
      host: hostname(),
    },
    clock: { now: Date.now },
    executable: thisExecutable(),
    fetch: globalThis.fetch,
    readStdin,
  };
}

/** Our executables are compiled with Bun; a program that uses the library is a script on Node. */
function thisExecutable(): Executable {
  const { bun, node } = process.versions;
  const { execPath } = process;
  if (bun !== undefined) return { path: execPath, command: [execPath], runtime: `bun ${bun}` };
  return { path: scriptPath(), command: [execPath, scriptPath()], runtime: `node ${node}` };
}

/** A folder can be removed while a shell stands in it; its old name still tells where that was. */
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

function userName(): string {
  const unknown = `uid ${process.getuid?.() ?? 'unknown'}`;
  try {
    const { username } = userInfo();
    // Bun reads the environment instead of the user database and says "unknown" when it tells nothing.
    return username === 'unknown' ? unknown : username;
  } catch {
    // An account without an entry in the user database, as in many containers.
    return unknown;
  }
}

async function readStdin(maxBytes: number, waitMs?: number): Promise<Uint8Array> {
  if (waitMs !== undefined && process.stdin.isTTY) throw noInput('is a terminal');
  const reading = collectStdin(maxBytes);
  if (waitMs === undefined) return reading;
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    process.stdin.destroy();
    reject(noInput(`gave nothing for ${waitMs} ms`));
  }, waitMs);
  process.stdin.once('data', () => clearTimeout(timer));
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
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
  return new Fault('E_USAGE', `There is nothing to read: standard input ${problem}.`, {
    hint: 'Pipe the input in, or give it as an argument.',
    details: { field: 'input' },
  });
}

function tooMuchInput(maxBytes: number): Fault {
  return new Fault('E_VALIDATION', `Standard input has more than the ${maxBytes} bytes that are read.`, {
    hint: 'Send less, or split the call.',
    details: { field: 'input', max: maxBytes },
  });
}
