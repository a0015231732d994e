import { alignLines, splitLines } from '../../base/align-lines.ts';
import { isDamaged, unlessDamaged } from '../../base/damaged.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { readChangesRecord } from '../run/run-records.ts';
import type { WorkContext } from '../work-context.ts';
import { readObject, type ObjectIndex } from '../workspace/object-store.ts';
import type { TreeEntry } from '../workspace/workspace.ts';

/** What a run made of a file: its lines afterwards, and which of them the run added. */
export interface RecordedFile {
  readonly runId: string;
  readonly lines: readonly string[];
  readonly isAdded: (index: number) => boolean;
  readonly added: ReadonlySet<string>;
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads what a run made of a file; undefined if it did not write the file, or if the contents are no longer stored. */
export function readRecordedFile(
  context: WorkContext,
  receipt: Receipt,
  path: string,
  objects: ObjectIndex,
): RecordedFile | undefined {
  if (receipt.status !== 'success' || !receipt.artifacts.some((artifact) => artifact.path === path))
    return undefined;
  try {
    const { changes = [] } = readChangesRecord(context.home, receipt) ?? {};
    const change = changes.find((known) => known.path === path);
    if (change?.after === undefined) return undefined;
    const [before, after] = [change.before, change.after].map((entry) => readLines(context, entry, objects));
    if (before === undefined || after === undefined) return undefined;
    const aligned = alignLines(before, after);
    const isAdded = (index: number): boolean => aligned[index] === -1;
    return {
      runId: receipt.run_id,
      lines: after,
      isAdded,
      added: new Set(after.filter((_, index) => isAdded(index))),
    };
  } catch (error) {
    // The records of one run do not decide about the others.
    if (isDamaged(error)) return undefined;
    throw error;
  }
}

/** Reads the receipt of a run that this home knows; undefined if it has none or it is damaged. */
export function receiptIfKnown(home: string, runId: string): Receipt | undefined {
  return unlessDamaged(() => readReceipt(home, runId));
}

/** The lines of a stored file; none for a file that did not exist, undefined for a file without lines. */
function readLines(
  { workspace }: WorkContext,
  entry: TreeEntry | undefined,
  objects: ObjectIndex,
): readonly string[] | undefined {
  if (entry === undefined || entry.type === 'dir') return [];
  if (entry.type !== 'file' || entry.size > MAX_BYTES) return undefined;
  const bytes = readObject(workspace, entry.hash, objects);
  return bytes.includes(0) ? undefined : splitLines(bytes.toString('utf8'));
}
