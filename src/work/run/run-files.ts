import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import {
  identifyProcess,
  isSameProcessAlive,
  processSpace,
  type ProcessIdentity,
} from '../../system/process-identity.ts';
import { ownPid } from '../../system/own-pid.ts';

/** What an agent heard from outside, beside its receipt. */
export const RECORDING = 'cassette.json';

const MAX_BYTES = 64 * 1024 * 1024;

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

/** Reads a document of ours; nothing when it is not there. */
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- what we wrote is what it is; the cast is here and nowhere else
export function readDocument<T>(path: string): T | undefined {
  const text = readFileIfPresent(path, MAX_BYTES);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new Fault('E_INTEGRITY', `${path} is damaged.`, { details: { path }, cause: error });
  }
}

export function writeDocument(path: string, value: unknown): void {
  writeFileDurably(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Who drives a run or a job at the moment. */
export interface Owner extends ProcessIdentity {
  readonly space: string;
}

export function currentOwner(): Owner {
  const pid = ownPid();
  return { startedAt: '', ...identifyProcess(pid), pid, space: processSpace() };
}

/** Tells whether the driver still lives; one that cannot be seen from here counts as alive. */
export function isOwnerAlive(owner: Owner): boolean {
  return owner.space !== processSpace() || isSameProcessAlive(owner);
}

/** What a run is doing; there is no such file once it has ended. */
export interface RunState {
  readonly status: 'running' | 'waiting' | 'promoting';
  readonly owner: Owner;
}

export function writeRunState(home: string, runId: string, status: RunState['status']): void {
  const folder = runFolder(home, runId);
  ensurePrivateFolder(folder);
  writeDocument(join(folder, 'state.json'), { status, owner: currentOwner() } satisfies RunState);
}

/** Reads what a run is doing; nothing when it has ended, which it has once its draft is gone. */
export function readRunState(home: string, runId: string): RunState | undefined {
  const folder = runFolder(home, runId);
  return existsSync(join(folder, 'draft.json'))
    ? readDocument<RunState>(join(folder, 'state.json'))
    : undefined;
}

/** Ends a run. The draft goes first: were it the last, a process that dies in between would leave it beside a receipt for good. */
export function clearRunState(home: string, runId: string): void {
  for (const name of ['draft.json', 'state.json'])
    rmSync(join(runFolder(home, runId), name), { force: true });
}
