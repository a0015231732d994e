import { alignLines, splitLines } from '../../base/align-lines.ts';
import { readChain } from '../receipt/receipt-chain.ts';
import { wasRolledBack } from '../run/rollback-run.ts';
import { chainPath, isId } from '../run/run-folder.ts';
import type { WorkContext } from '../work-context.ts';
import { blameFile, readRunTrailers, type CommittedLine } from '../workspace/landing/blame-file.ts';
import { indexObjects } from '../workspace/object-store.ts';
import { readRecordedFile, receiptIfKnown, type RecordedFile } from './recorded-file.ts';

/** A line and the run that wrote it. */
export interface BlamedLine {
  readonly line: number;
  readonly text: string;
  readonly run_id: string | null;
  /** How the run was found: by the trailer of its commit, or by the lines that the run recorded. */
  readonly by: 'trailer' | 'lines' | 'unknown';
  /** The commit of the line; null if it is not committed. */
  readonly commit: string | null;
}

export interface BlameRequest {
  readonly root: string;
  readonly path: string;
  readonly text: string;
  /** The line, from 1; all lines without it. */
  readonly line?: number | undefined;
}

/**
 * Finds the run of each line of a file: by the trailer of the commit that the line came from, otherwise by the lines that runs recorded. A
 * trailer counts only as far as the records of its run agree, where this home has them: a person may have amended the commit.
 */
export async function blameLines(
  context: WorkContext,
  request: BlameRequest,
): Promise<readonly BlamedLine[]> {
  const { root, path, line } = request;
  const current = splitLines(request.text);
  const committed = await blameFile(context.workspace, root, path);
  const origins = alignLines(
    committed.map(({ text }) => text),
    current,
  );
  const wanted = current.flatMap((text, index) =>
    line === undefined || line === index + 1
      ? [{ text, index, origin: committed[origins[index] ?? -1] }]
      : [],
  );
  const commits = [...new Set(wanted.flatMap(({ origin }) => origin?.commit ?? []))];
  const trailers = await readRunTrailers(context.workspace, root, commits);
  const records = openRecords(context, root);
  // The file may have been renamed since a run wrote it.
  const paths = [...new Set([path, ...committed.map((known) => known.path)])];
  return wanted.map(({ text, index, origin }) => {
    const commit = origin?.commit ?? null;
    const found = { line: index + 1, text, commit };
    const named = origin && findByTrailer(origin, trailers.get(origin.commit) ?? [], records);
    if (named !== undefined) return { ...found, run_id: named, by: 'trailer' };
    const recorded = findByLines(current, index, paths, records);
    return { ...found, run_id: recorded ?? null, by: recorded === undefined ? 'unknown' : 'lines' };
  });
}

/** The run that a commit names; if the commit names several, the run that recorded the line. */
function findByTrailer(
  { text, path }: CommittedLine,
  runs: readonly string[],
  records: Records,
): string | undefined {
  const recorded = runs.find((runId) => records.read(runId, path)?.added.has(text) === true);
  if (recorded !== undefined) return recorded;
  const foreign = runs.filter((runId) => !records.isKnown(runId));
  return foreign.length === 1 && runs.length === 1 ? foreign[0] : undefined;
}

/** The newest run that added the line at this place. */
function findByLines(
  current: readonly string[],
  index: number,
  paths: readonly string[],
  records: Records,
): string | undefined {
  for (const runId of records.runs()) {
    for (const path of paths) {
      const file = records.read(runId, path);
      if (file === undefined) continue;
      const at = records.align(file, current)[index] ?? -1;
      if (at !== -1 && file.isAdded(at)) return runId;
    }
  }
  return undefined;
}

/** The records of the runs of a tree; each file is read and compared once. */
interface Records {
  /** The successful runs on the tree, newest first. */
  readonly runs: () => readonly string[];
  readonly isKnown: (runId: string) => boolean;
  readonly read: (runId: string, path: string) => RecordedFile | undefined;
  readonly align: (file: RecordedFile, current: readonly string[]) => Int32Array;
}

function openRecords(context: WorkContext, root: string): Records {
  const objects = indexObjects(context.workspace);
  const files = new Map<string, RecordedFile | undefined>();
  const alignments = new Map<RecordedFile, Int32Array>();
  let runs: readonly string[] | undefined;
  const receiptOf = (runId: string) => (isId('run', runId) ? receiptIfKnown(context.home, runId) : undefined);
  const read: Records['read'] = (runId, path) => {
    const key = `${runId}\0${path}`;
    if (!files.has(key)) {
      const receipt = receiptOf(runId);
      files.set(key, receipt && readRecordedFile(context, receipt, path, objects));
    }
    return files.get(key);
  };
  return {
    read,
    isKnown: (runId) => receiptOf(runId) !== undefined,
    runs: () => (runs ??= listRuns(context, root)),
    align: (file, current) => {
      const known = alignments.get(file) ?? alignLines(file.lines, current);
      alignments.set(file, known);
      return known;
    },
  };
}

function listRuns({ home }: WorkContext, root: string): readonly string[] {
  const chain = readChain(chainPath(home));
  const rollbacks = chain.filter(({ phase }) => phase === 'rollback');
  return chain
    .filter((line) => line.phase === 'tranche' && line.status === 'success' && line.root === root)
    .map(({ run_id }) => run_id)
    .filter((runId) => {
      const receipt = receiptIfKnown(home, runId);
      return (
        receipt !== undefined && (receipt.landing !== undefined || !wasRolledBack(home, receipt, rollbacks))
      );
    })
    .toReversed();
}
