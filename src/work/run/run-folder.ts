import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { createId, ID_BODY } from '../../base/ids.ts';

/** The recording of the agent's model responses, stored next to the receipt. */
export const RECORDING = 'cassette.json';

/** Creates an id of a new run or job in this home. */
export function newWorkId(home: string, kind: 'run' | 'job', nowMs: number): string {
  const id = createId(kind, nowMs);
  return existsSync(join(home, `${kind}s`, id)) ? newWorkId(home, kind, nowMs) : id;
}

/** Whether a text has the form of the id of a run or a job; ids of version 0.1.0 have 24 hex digits. */
export function isId(kind: 'run' | 'job', text: string): boolean {
  return new RegExp(`^${kind}_(?:${ID_BODY}|[0-9a-f]{24})$`, 'u').test(text);
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
export function listIds(home: string, kind: 'run' | 'job', within = `${kind}s`): readonly string[] {
  const folder = join(home, within);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => isId(kind, name))
    .sort()
    .toReversed();
}

/** Returns the folder of an existing run or job. */
export function requireFolder(home: string, kind: 'run' | 'job', id: string): string {
  const folder = join(home, `${kind}s`, id);
  if (isId(kind, id) && existsSync(folder)) return folder;
  return missing(kind, id);
}

export function missing(kind: 'run' | 'job', id: string): never {
  throw new Fault('E_NOT_FOUND', `Unknown ${kind}: "${id}".`, {
    hint: '"deed work list" shows all runs and jobs.',
    details: { field: 'id', id },
  });
}
