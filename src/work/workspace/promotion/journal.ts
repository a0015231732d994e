import { isPlainObject } from '../../../base/json.ts';
import type { Change } from '../workspace.ts';
import type { OperationPlan } from './plan-operations.ts';
import type { FolderHandle, TreeIo } from './tree-io.ts';

/**
 * The journal of a promotion: one line with the plan, written to disk before anything is changed; then one line with the outcome. A
 * partial last line is ignored.
 */
export interface Journal extends OperationPlan {
  readonly runId: string;
  readonly root: string;
  readonly kind: 'promotion' | 'rollback' | 'thaw';
  readonly drift: readonly string[];
  /** The changes behind the operations; a rollback inverts them. */
  readonly changes: readonly Change[];
}

export type JournalState = 'open' | 'committed' | 'undone';

export function journalName(runId: string): string {
  return `${runId}.journal`;
}

export function writeJournal(io: TreeIo, folder: FolderHandle, journal: Journal): void {
  const line = Buffer.from(`${JSON.stringify(journal)}\n`);
  io.createFile(folder, journalName(journal.runId), [line], 0o600, undefined);
  io.sync(folder);
}

export function closeJournal(
  io: TreeIo,
  folder: FolderHandle,
  runId: string,
  state: Exclude<JournalState, 'open'>,
): void {
  io.appendFile(folder, journalName(runId), Buffer.from(`${state}\n`));
}

export function doneName(runId: string): string {
  return `${runId}.done`;
}

/** Archives the journal of a committed promotion, as the record of what was done. */
export function archiveJournal(io: TreeIo, folder: FolderHandle, runId: string): void {
  if (io.stat(folder, doneName(runId)) !== undefined) io.unlink(folder, doneName(runId));
  io.rename(folder, journalName(runId), doneName(runId));
}

export function removeJournal(io: TreeIo, folder: FolderHandle, runId: string): void {
  io.unlink(folder, journalName(runId));
  io.sync(folder);
}

/** Reads a journal; undefined if its first line is incomplete, which capabilities that nothing was changed. */
export function readJournal(
  io: TreeIo,
  folder: FolderHandle,
  name: string,
): { readonly journal: Journal; readonly state: JournalState } | undefined {
  const text = Buffer.concat([...io.read(folder, name)].map((piece) => Buffer.from(piece))).toString('utf8');
  const lines = text.split('\n');
  lines.pop();
  const [first, ...ends] = lines;
  if (first === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(first);
    if (!isPlainObject(value)) return undefined;
    return { journal: value as unknown as Journal, state: ends.findLast(isEnd) ?? 'open' };
  } catch {
    return undefined;
  }
}

function isEnd(line: string): line is Exclude<JournalState, 'open'> {
  return line === 'committed' || line === 'undone';
}
