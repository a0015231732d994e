import * as v from 'valibot';
import { omit } from '../../base/omit.ts';
import { int } from '../../base/schema.ts';
import { timestamp } from '../../system/stored-document.ts';
import { STORED_ITEM } from '../item/stored-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import { writeJob, type Job } from '../plan/job.ts';
import { parseItemRecord, type ItemRecord } from './item-record.ts';
import { itemRef, type StoredRecord } from './item-refs.ts';
import { KEEP_SECONDS, type SharedDocuments } from './shared-documents.ts';

/** A job in a queue, as every host of the fleet sees it. */
export interface SharedJob {
  readonly id: string;
  readonly queue: string;
  readonly round: number;
  readonly branch: string;
  /** The name of the repository, which its clones share. */
  readonly repository: string;
  /** The host that submitted it. */
  readonly host: string;
  readonly createdAt: string;
  readonly itemCount: number;
  readonly cancelled?: boolean | undefined;
}

const JOB = v.object({
  id: v.string(),
  queue: v.string(),
  round: int(),
  branch: v.string(),
  repository: v.string(),
  host: v.string(),
  createdAt: timestamp(),
  itemCount: int(),
  cancelled: v.optional(v.boolean()),
});

const PLAN = v.object({ items: v.array(STORED_ITEM) });
const RESULT = v.object({
  run_id: v.optional(v.string()),
  root: v.optional(v.string()),
  result: v.unknown(),
});

/** Shows a job to all hosts. Contract: idempotent. */
export async function shareJob(
  documents: SharedDocuments,
  { id, branch = '', fleet, createdAt, items, cancelled }: Job,
  { repository, host }: Pick<SharedJob, 'repository' | 'host'>,
): Promise<void> {
  const place = { group: id, name: '' };
  const { queue = '', round = 0 } = fleet ?? {};
  const job: SharedJob = { id, queue, round, branch, repository, host, createdAt, itemCount: items.length };
  await documents.put({ kind: 'plans', ...place }, { items }, KEEP_SECONDS);
  await documents.put({ kind: 'jobs', ...place }, { ...job, ...(cancelled && { cancelled }) }, KEEP_SECONDS);
}

/** Reads the jobs of all hosts, the newest first, or one of them. */
export async function readSharedJobs(
  documents: SharedDocuments,
  jobId?: string,
): Promise<readonly SharedJob[]> {
  const jobs = (await documents.read('jobs', jobId)).flatMap(({ value }) => parse(JOB, value));
  // Sorted by when they were first stored, not by the times in them: the hosts that submitted them may have wrong clocks.
  return jobs.filter(({ id }) => jobId === undefined || id === jobId).toReversed();
}

/** Takes over what another home did with a job of this home: a later round, or a cancellation. */
export async function adoptJob(documents: SharedDocuments, home: string, job: Job): Promise<Job> {
  const [shared] = await readSharedJobs(documents, job.id);
  if (shared === undefined || job.fleet === undefined || shared.round < job.fleet.round) return job;
  const isSame = shared.round === job.fleet.round && (shared.cancelled ?? false) === (job.cancelled ?? false);
  if (isSame) return job;
  const fleet = { ...job.fleet, round: shared.round };
  return writeJob(home, {
    ...omit(job, 'cancelled', 'endedAt'),
    fleet,
    ...(shared.cancelled && { cancelled: true }),
  });
}

export async function readSharedPlan(
  documents: SharedDocuments,
  jobId: string,
): Promise<readonly WorkItem[] | undefined> {
  const [plan] = (await documents.read('plans', jobId)).map(({ value }) => value);
  // The schema covers what a job relies on, as for a job on disk.
  return parse(PLAN, plan).length === 0 ? undefined : (plan as { items: readonly WorkItem[] }).items;
}

/** Copies the record of an item for hosts that do not read its ref: without its receipt and without what the journal gets. */
export async function shareRecord(documents: SharedDocuments, record: ItemRecord): Promise<void> {
  const { result, root } = record;
  const place = { group: record.job_id, name: record.item_id };
  const isFirst = record.attempt === 1;
  if (result !== undefined) {
    const value = { run_id: record.run_id, root, result: omit(result, 'proof_script') };
    const expected = isFirst && record.step !== 'promoted' ? 'new' : 'stored';
    await documents.put({ kind: 'results', ...place }, value, KEEP_SECONDS, expected);
  }
  const expected = isFirst && record.step === 'claimed' ? 'new' : 'stored';
  const state = omit(record, 'proof', 'outcome', 'result', 'root');
  await documents.put({ kind: 'items', ...place }, state, KEEP_SECONDS, expected);
}

/** Reads the copies of the records of a job; without their results if only the steps are wanted. */
export async function readSharedRecords(
  documents: SharedDocuments,
  jobId: string,
  { results = true }: { readonly results?: boolean } = {},
): Promise<ReadonlyMap<string, Pick<StoredRecord, 'record'>>> {
  const found = results ? await documents.read('results', jobId) : [];
  const byRun = new Map(
    found.flatMap(({ value }) => parse(RESULT, value).map((each) => [each.run_id, each] as const)),
  );
  const states = await documents.read('items', jobId);
  return new Map(
    states.flatMap(({ value: state }) => {
      const { run_id: runId, item_id: itemId } = state as Partial<ItemRecord>;
      const own = runId === undefined ? undefined : byRun.get(runId);
      const text = JSON.stringify({
        ...(state as object),
        ...(own && { root: own.root, result: own.result }),
      });
      const record = parseItemRecord(text, itemRef(jobId, String(itemId)));
      return record.job_id === jobId ? [[record.item_id, { record }] as const] : [];
    }),
  );
}

function parse<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S>[] {
  const parsed = v.safeParse(schema, value);
  return parsed.success ? [parsed.output] : [];
}
