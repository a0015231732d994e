import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';

/** What an agent heard from outside, beside its receipt. */
export const RECORDING = 'cassette.json';

/** Ids sort by the time they were given. */
export function newId(kind: 'run' | 'job', now: number): string {
  return `${kind}_${now.toString(16).padStart(12, '0')}${randomHex(6)}`;
}

/** Where everything about one run lies. */
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

/** Accepts the id of a run or job that is here. */
export function requireFolder(home: string, kind: 'run' | 'job', id: string): string {
  const folder = join(home, `${kind}s`, id);
  if (new RegExp(`^${kind}_[0-9a-f]{24}$`, 'u').test(id) && existsSync(folder)) return folder;
  return missing(kind, id);
}

export function missing(kind: 'run' | 'job', id: string): never {
  throw new Fault('E_NOT_FOUND', `There is no ${kind} "${id}".`, {
    hint: `"deed work list" shows what there is.`,
    details: { field: 'id', id },
  });
}
