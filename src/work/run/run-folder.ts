import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';

/** The recording of the agent's model responses, stored next to the receipt. */
export const RECORDING = 'cassette.json';

/** Ids sort by creation time. */
export function newId(kind: 'run' | 'job', now: number): string {
  return `${kind}_${now.toString(16).padStart(12, '0')}${randomHex(6)}`;
}

/** The folder with all files of a run. */
export function runFolder(home: string, runId: string): string {
  return join(home, 'runs', runId);
}

export function jobFolder(home: string, jobId: string): string {
  return join(home, 'jobs', jobId);
}

export function chainPath(home: string): string {
  return join(home, 'runs', 'chain.jsonl');
}

/** Lists ids of runs or jobs, newest first. */
export function listIds(home: string, kind: 'run' | 'job'): readonly string[] {
  const folder = join(home, `${kind}s`);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => new RegExp(`^${kind}_[0-9a-f]{24}$`, 'u').test(name))
    .sort()
    .toReversed();
}

/** Returns the folder of an existing run or job. */
export function requireFolder(home: string, kind: 'run' | 'job', id: string): string {
  const folder = join(home, `${kind}s`, id);
  if (new RegExp(`^${kind}_[0-9a-f]{24}$`, 'u').test(id) && existsSync(folder)) return folder;
  return missing(kind, id);
}

export function missing(kind: 'run' | 'job', id: string): never {
  throw new Fault('E_NOT_FOUND', `Unknown ${kind}: "${id}".`, {
    hint: '"deed work list" shows all runs and jobs.',
    details: { field: 'id', id },
  });
}
