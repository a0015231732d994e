import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../base/damaged.ts';
import { number } from '../../base/schema.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { STORED_ITEM } from '../item/stored-item.ts';
import { CHANGE } from '../workspace/entry-schemas.ts';
import { REVISION } from './revision.ts';
import type { RunDraft } from './run-draft.ts';
import { runFolder } from './run-folder.ts';

const strings = v.array(v.string());

const DRAFT: DocumentShape<RunDraft> = {
  hint: () =>
    'Restore it from a backup. Without one, move the folder of the run away; "deed work recover" undoes an open promotion without it.',
  schema: v.object({
    runId: v.string(),
    receiptId: v.string(),
    jobId: v.string(),
    item: STORED_ITEM,
    itemHash: v.string(),
    root: v.string(),
    startedAt: v.string(),
    status: v.picklist(['success', 'failure', 'denied', 'timeout']),
    before: v.object({ hash: v.string() }),
    afterHash: v.string(),
    changes: v.array(CHANGE),
    deltas: v.object({
      deltaO: v.array(v.unknown()),
      deltaPi: v.array(v.unknown()),
      deltaLambda: v.array(v.unknown()),
      deltaQ: v.array(v.unknown()),
    }),
    toolTrace: v.array(v.unknown()),
    toolSource: v.string(),
    executionMs: number(),
    workspace: v.object({ mode: v.string(), fallbacks: strings, drift: strings }),
    replay: v.optional(v.object({ snapshotId: v.string(), sourceDateEpoch: v.string() })),
    revision: v.optional(REVISION),
    rollsBack: v.optional(v.object({ runId: v.string(), by: v.string() })),
  }),
};

/** Reads the draft of an open run; undefined if the run has ended or wrote none. */
export function readDraft(home: string, runId: string): RunDraft | undefined {
  const path = draftPath(home, runId);
  const draft = readStored(path, DRAFT);
  if (draft !== undefined && draft.runId !== runId)
    throw damaged(path, `it is the draft of ${draft.runId}`, DRAFT.hint(path));
  return draft;
}

export function writeDraft(home: string, draft: RunDraft): void {
  ensurePrivateFolder(runFolder(home, draft.runId));
  writeStored(draftPath(home, draft.runId), draft);
}

export function draftPath(home: string, runId: string): string {
  return join(runFolder(home, runId), 'draft.json');
}
