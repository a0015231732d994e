import * as v from 'valibot';
import { damaged } from '../../../base/damaged.ts';
import { parseStored, renderStored, type DocumentShape } from '../../../system/stored-document.ts';
import { CHANGE } from '../entry-schemas.ts';
import type { TreeChange } from '../workspace.ts';
import type { OperationPlan } from './plan-operations.ts';
import type { FolderHandle, TreeIo } from './tree-io.ts';
import { collectContent } from '../read-content.ts';

/**
 * The write-ahead log of a promotion: one line with the plan, written to disk before anything is changed; then one line with the outcome. A
 * partial last line is ignored.
 */
export interface PromotionLog extends OperationPlan {
  readonly runId: string;
  readonly root: string;
  readonly kind: 'promotion' | 'rollback' | 'thaw';
  readonly drift: readonly string[];
  /** The changes behind the operations; a rollback inverts them. */
  readonly changes: readonly TreeChange[];
}

export type PromotionLogState = 'open' | 'committed' | 'undone';

export function promotionLogName(runId: string): string {
  return `${runId}.journal`;
}

export function writePromotionLog(io: TreeIo, folder: FolderHandle, log: PromotionLog): void {
  const line = Buffer.from(renderStored(log, 0));
  try {
    io.createFile(folder, promotionLogName(log.runId), [line], 0o600, undefined);
  } finally {
    io.syncFiles();
  }
  io.sync(folder);
}

export function closePromotionLog(
  io: TreeIo,
  folder: FolderHandle,
  runId: string,
  state: Exclude<PromotionLogState, 'open'>,
): void {
  io.appendFile(folder, promotionLogName(runId), Buffer.from(`${state}\n`));
}

export function doneName(runId: string): string {
  return `${runId}.done`;
}

/** Archives the log of a committed promotion, as the record of what was done. */
export function archivePromotionLog(io: TreeIo, folder: FolderHandle, runId: string): void {
  if (io.stat(folder, doneName(runId)) !== undefined) io.unlink(folder, doneName(runId));
  io.rename(folder, promotionLogName(runId), doneName(runId));
}

export function removePromotionLog(io: TreeIo, folder: FolderHandle, runId: string): void {
  io.unlink(folder, promotionLogName(runId));
  io.sync(folder);
}

const SUBTREE = v.array(v.object({ path: v.string(), entry: v.object({ type: v.string() }) }));

const LOG: DocumentShape<PromotionLog> = {
  hint: (path) =>
    `Restore ${path} from a backup. Without one, compare the tree with "git status": replaced files are next to the new ones as ".deed-*"; then move ${path} away.`,
  schema: v.object({
    runId: v.string(),
    root: v.string(),
    kind: v.picklist(['promotion', 'rollback', 'thaw']),
    drift: v.array(v.string()),
    changes: v.array(CHANGE),
    operations: v.array(
      v.object({
        path: v.string(),
        temporary: v.string(),
        before: v.optional(SUBTREE),
        after: v.optional(SUBTREE),
      }),
    ),
    prune: v.array(v.string()),
  }),
};

/** Reads a log; undefined if its first line is incomplete, which means that nothing was changed. Damage is E_DAMAGED. */
export function readPromotionLog(
  io: TreeIo,
  folder: FolderHandle,
  { name, path = name }: { readonly name: string; readonly path?: string },
): { readonly log: PromotionLog; readonly state: PromotionLogState } | undefined {
  const text = collectContent(io.read(folder, name)).toString('utf8');
  const lines = text.split('\n');
  lines.pop();
  const [first, ...ends] = lines;
  if (first === undefined) return undefined;
  const log = parseStored(path, first, LOG);
  if (name !== promotionLogName(log.runId) && name !== doneName(log.runId))
    throw damaged(path, `it is the promotion log of ${log.runId}`, LOG.hint(path));
  return { log, state: ends.findLast(isEnd) ?? 'open' };
}

function isEnd(line: string): line is Exclude<PromotionLogState, 'open'> {
  return line === 'committed' || line === 'undone';
}
