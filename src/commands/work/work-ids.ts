import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type * as v from 'valibot';
import type { CommandContext } from '../../contract/command.ts';
import { chooseId, MAX_CANDIDATES, readPrefix, type IdCandidate } from '../../contract/id-prefix.ts';
import { acceptIdPrefixes } from '../../contract/resolve-ids.ts';
import { findFleetRun } from './follow-fleet.ts';
import { readChainRows } from '../../work/receipt/receipt-chain.ts';
import { lookUpRun } from '../../work/run/look-up-run.ts';
import { chainPath, isId, jobFolder, listIds, runFolder } from '../../work/run/run-folder.ts';

/** A parameter with the id of a run, or a unique prefix of it. */
export function runId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, async ({ field, value, context }) =>
    resolveRun(field, String(value), context.home.path),
  );
}

/** A parameter with the id of a job, or a unique prefix of it. */
export function jobId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, async ({ field, value, context }) =>
    resolveJob(field, String(value), context.home.path),
  );
}

/** A parameter with the id of a run or of a job, or a unique prefix of it; without `job_` it is the id of a run. */
export function runOrJobId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, async ({ field, value, context }) => {
    const given = String(value);
    const resolve = given.startsWith('job_') ? resolveJob : resolveRun;
    return resolve(field, given, context.home.path);
  });
}

/** A parameter with a file, or with the id of a job or a unique prefix of it that starts with `job_`. */
export function fileOrJobId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, async (given) =>
    isJobReference(String(given.value), given.context)
      ? resolveJob(given.field, String(given.value), given.context.home.path)
      : given.value,
  );
}

/** Whether a value is the id of a job, and not the name of an existing file, which takes precedence. */
export function isJobReference(value: string, { system }: CommandContext): boolean {
  return /^job_[0-9a-z]+$/u.test(value) && !existsSync(resolve(system.cwd, value));
}

function resolveRun(field: string, given: string, home: string): string {
  if (isRun(home, given) || findFleetRun(home, given) !== undefined) return given;
  const prefix = readPrefix(field, given, 'run');
  const ids = matching(listIds(home, 'run'), prefix.full);
  // Only an ambiguous prefix needs the names.
  const candidates = ids.length === 1 ? toCandidates(ids) : ids.map((id) => nameRun(home, id));
  return chooseId(prefix, candidates) ?? given;
}

function resolveJob(field: string, given: string, home: string): string {
  if (isId('job', given) && existsSync(jobFolder(home, given))) return given;
  const prefix = readPrefix(field, given, 'job');
  return chooseId(prefix, toCandidates(matching(listIds(home, 'job'), prefix.full))) ?? given;
}

const RECEIPT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** A parameter with the id of a receipt or of its run, or a unique prefix of it. */
export function receiptId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, async ({ field, value, context }) => {
    const home = context.home.path;
    const given = String(value);
    if (RECEIPT_ID.test(given) || isRun(home, given)) return given;
    const prefix = readPrefix(field, given, 'run');
    const lines = readChainRows(chainPath(home)).filter((row) => 'run_id' in row);
    const runs = lines.map(({ run_id }) => run_id).filter((id) => id.startsWith(prefix.full));
    const receipts = lines.map(({ receipt_id }) => receipt_id).filter((id) => id.startsWith(given));
    const ids = matching([...runs, ...receipts], '');
    return chooseId(prefix, toCandidates(ids)) ?? given;
  });
}

function isRun(home: string, id: string): boolean {
  return isId('run', id) && existsSync(runFolder(home, id));
}

function matching(ids: readonly string[], prefix: string): readonly string[] {
  return ids.filter((id) => id.startsWith(prefix)).slice(0, MAX_CANDIDATES + 1);
}

function toCandidates(ids: readonly string[]): readonly IdCandidate[] {
  return ids.map((id) => ({ id }));
}

function nameRun(home: string, id: string): IdCandidate {
  const title = lookUpRun(home, id)?.item;
  return { id, ...(title !== undefined && { title }) };
}
