import { Fault } from '../../base/fault.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { treePath } from '../item/work-item.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { WorkContext } from '../work-context.ts';
import type { FileDiff } from '../workspace/render-diff.ts';
import type { TreeChange } from '../workspace/workspace.ts';
import { isCounted } from './capsule-of.ts';
import { requireFolder } from './run-folder.ts';
import { readChangesRecord } from './run-records.ts';
import { readRunState } from './run-state.ts';
import { readDraft } from './stored-draft.ts';

/** The changes of a run as a person reviews them. */
export interface RunDiff {
  readonly files: readonly FileDiff[];
  /** Unified, with masked secrets. */
  readonly text: string;
  /** Whether the text was truncated at its maximum size. */
  readonly truncated: boolean;
}

/** Renders the changes of a run, or of some of its files, whether it was promoted, denied, or waits for approval. */
export async function diffRun(
  context: Pick<WorkContext, 'home' | 'workspace'>,
  runId: string,
  paths: readonly string[] = [],
): Promise<RunDiff> {
  const changes = selectChanges(runId, readChanges(context.home, runId), paths.map(treePath));
  // Most programs that run work never show a diff.
  const { renderDiff } = await import('../workspace/render-diff.ts');
  const { files, text } = await renderDiff(context.workspace, changes);
  return { files, ...cutDiff(redactText(text)) };
}

/** Cuts a diff at its maximum size. */
export function cutDiff(text: string): Pick<RunDiff, 'text' | 'truncated'> {
  if (text.length <= WORK_LIMITS.diffBytes) return { text, truncated: false };
  return { text: text.slice(0, text.lastIndexOf('\n', WORK_LIMITS.diffBytes) + 1), truncated: true };
}

/** The changes of a run. A run whose agent is working has none yet. */
export function readChanges(home: string, runId: string): readonly TreeChange[] {
  requireFolder(home, 'run', runId);
  const state = readRunState(home, runId);
  if (state === undefined) {
    const receipt = readReceipt(home, runId);
    const record = receipt && readChangesRecord(home, receipt);
    return (record?.changes ?? []).filter(isCounted);
  }
  if (state.status !== 'running') return (readDraft(home, runId)?.changes ?? []).filter(isCounted);
  throw new Fault('E_CONFLICT', `Run "${runId}" has not finished; its changes are not known yet.`, {
    hint: `"deed work log ${runId} --follow" shows its output.`,
    details: { field: 'id', id: runId },
  });
}

function selectChanges(
  runId: string,
  changes: readonly TreeChange[],
  paths: readonly string[],
): readonly TreeChange[] {
  if (paths.length === 0) return changes;
  const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const unknown = paths.find((wanted) => !changes.some(({ path }) => isBelow(path, wanted)));
  if (unknown === undefined)
    return changes.filter(({ path }) => paths.some((wanted) => isBelow(path, wanted)));
  throw new Fault('E_NOT_FOUND', `Run "${runId}" did not change "${unknown}".`, {
    hint: `"deed work diff ${runId} --stat" lists its files.`,
    details: { field: 'path', path: unknown },
  });
}
