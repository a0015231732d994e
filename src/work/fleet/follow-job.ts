import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { omit } from '../../base/omit.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { isEnded } from '../plan/item-state.ts';
import { itemState, writeJob, type Job } from '../plan/job.ts';
import { readFleetStates, writeFleetStates, type FleetState } from '../plan/fleet-states.ts';
import { jobFolder } from '../run/run-folder.ts';
import type { RunResult } from '../run/run-result.ts';
import type { WorkContext } from '../work-context.ts';
import { describeRefusal } from './check-approval.ts';
import type { Fleet } from './fleet.ts';
import { readItems, type StoredRecord } from './item-refs.ts';
import { isFinalRecord, type ItemRecord } from './item-record.ts';

/** An item whose state has changed. */
export interface FleetChange {
  readonly itemId: string;
  readonly state: FleetState;
}

/** Copies of records, by item. */
export type Copies = ReadonlyMap<string, Pick<StoredRecord, 'record'>>;

/**
 * Reads the state of a job from the remote, stores it, and returns what changed. A job ends when all its items have. The claim of a first
 * attempt has no ref yet, so only its copy shows that the item runs.
 */
export async function followJob(
  { work, remote }: { readonly work: Follower; readonly remote: Fleet['remote'] },
  job: Job,
  copies: Copies = new Map(),
): Promise<FollowedJob> {
  const claims = [...copies].filter(([, { record }]) => record.step === 'claimed');
  return storeRecords(work, job, new Map([...claims, ...(await readItems(remote, job.id))]));
}

type Follower = Pick<WorkContext, 'home' | 'clock'>;

export interface FollowedJob {
  readonly job: Job;
  readonly changes: readonly FleetChange[];
}

/** Stores what was read about the items of a job. */
export function storeRecords(work: Follower, job: Job, records: Copies): FollowedJob {
  const { home } = work;
  const before = readFleetStates(home, job.id);
  // The refs of a job that ended long ago are deleted. Final states do not change, so they are kept.
  const final = Object.entries(before).filter(([, state]) => isFinalRecord(state));
  const states = Object.fromEntries([
    ...final,
    ...[...records.values()].map(({ record }) => [record.item_id, stateOf(record, job, home)] as const),
  ]);
  const changes = Object.entries(states).flatMap(([itemId, state]) =>
    JSON.stringify(before[itemId]) === JSON.stringify(state) ? [] : [{ itemId, state }],
  );
  for (const { record } of records.values()) keepProof(record, receiptFolder(home, job.id, record));
  if (changes.length > 0) writeFleetStates(home, job.id, states);
  const hasEnded = job.items.every(({ id }) => isEnded(itemState(home, job, id)));
  if (!hasEnded || job.endedAt !== undefined) return { job, changes };
  const endedAt = new Date(work.clock.now()).toISOString();
  return { job: writeJob(home, { ...job, endedAt }), changes };
}

/** The state of an item as its record says, for this host. */
export function stateOf(record: ItemRecord, job: Job, home: string): FleetState {
  const { step, by, attempt, at, commit, run_id: runId, result, code, refused } = record;
  return {
    step,
    by,
    attempt,
    at,
    ...(commit !== undefined && { commit }),
    ...(runId !== undefined && { runId }),
    ...(result !== undefined && { result: moveResult(record, result, job, home) }),
    ...(code !== undefined && { code }),
    ...(refused !== undefined && { refused: describeRefusal(refused) }),
  };
}

/** The result of a run on another host, with paths of this host. */
function moveResult(record: ItemRecord, result: RunResult, job: Job, home: string): RunResult {
  const { root = '', commit } = record;
  const moved = (path: string): string => join(job.root, relative(root, path));
  return {
    ...omit(result, 'proof_script'),
    // A copy of a record has no receipt.
    receipt_path: record.proof === undefined ? '' : join(receiptFolder(home, job.id, record), 'RECEIPT.json'),
    modified_files: result.modified_files.map(moved),
    created_files: result.created_files.map(moved),
    deleted_files: result.deleted_files.map(moved),
    artifact_hashes: Object.fromEntries(
      Object.entries(result.artifact_hashes).map(([path, hash]) => [moved(path), hash] as const),
    ),
    ...(result.branch !== undefined && { branch: job.branch, commit }),
  };
}

function receiptFolder(home: string, jobId: string, { run_id: runId = '' }: ItemRecord): string {
  return join(jobFolder(home, jobId), 'receipts', runId);
}

/** Keeps the receipt of a run on another host; "receipt verify --file" verifies it with the key of that host. */
function keepProof({ proof }: ItemRecord, folder: string): void {
  if (proof === undefined || existsSync(join(folder, 'receipt.dsse.json'))) return;
  ensurePrivateFolder(folder);
  writeFileDurably(join(folder, 'RECEIPT.json'), proof.receipt);
  writeFileDurably(join(folder, 'receipt.dsse.json'), proof.statement);
}
