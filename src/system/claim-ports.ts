import { mkdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { systemCode } from '../base/system-fault.ts';
import { writeNewFile, readFileIfPresent } from './durable-file.ts';
import { ownPid } from './own-pid.ts';
import { identifyProcess, isSameProcessAlive, type ProcessIdentity } from './process-identity.ts';

/** A range of ports that no other claim has. */
export interface ClaimedPorts {
  readonly first: number;
  readonly release: () => void;
}

/** Below the range from which the kernel takes ports for outgoing connections. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
/** A claim is written at once; an older one without content belongs to a process that was killed. */
const WRITING_MS = 10_000;

/**
 * Claims a range of consecutive ports on which nothing listens. Claims are files in a folder, so that processes which share it get
 * different ranges; the claim of a process that has exited is taken over. Undefined if no range is free.
 */
export async function claimPorts(folder: string, count: number): Promise<ClaimedPorts | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ranges = Math.floor((HIGHEST - LOWEST) / count);
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  // Processes that do not share the folder rarely start at the same range.
  for (let tries = 0; tries < ranges; tries += 1) {
    const first = LOWEST + ((random + tries) % ranges) * count;
    const path = join(folder, String(first));
    if (!claim(path)) continue;
    if (await areFree(first, count)) return { first, release: () => rmSync(path, { force: true }) };
    rmSync(path, { force: true });
  }
  return undefined;
}

function claim(path: string): boolean {
  const self = identifyProcess(ownPid());
  try {
    writeNewFile(path, JSON.stringify(self ?? {}), 0o600, false);
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  if (isHeld(path)) return false;
  rmSync(path, { force: true });
  return claim(path);
}

function isHeld(path: string): boolean {
  try {
    return isSameProcessAlive(JSON.parse(readFileIfPresent(path) ?? '') as ProcessIdentity);
  } catch {
    // Released, or another process is writing it right now.
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && Date.now() - stats.mtimeMs < WRITING_MS;
  }
}

async function areFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port += 1) if (!(await isFree(port))) return false;
  return true;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
