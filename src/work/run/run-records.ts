import * as v from 'valibot';
import type { DocumentShape } from '../../system/stored-document.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { STORED_ITEM } from '../item/stored-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { DescribedWrite } from '../journal/describe-write.ts';
import { readCoveredDocument, restoreHint } from '../receipt/read-receipt.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { CHANGE } from '../workspace/entry-schemas.ts';
import type { TreeChange } from '../workspace/workspace.ts';
import { REVISION, type Revision } from './revision.ts';
import type { RunDraft } from './run-draft.ts';
import type { RunResult } from './run-result.ts';

/** The item of an ended run, as it was executed. */
export interface ExecutedItem {
  readonly item: WorkItem;
  readonly agent?: AgentConfig | undefined;
  readonly job_id: string;
  readonly revision?: Revision | undefined;
}

/** The changes of an ended run, and what a replay needs. */
export interface ChangesRecord extends Pick<RunDraft, 'replay'> {
  readonly changes: readonly TreeChange[];
}

const ITEM: DocumentShape<ExecutedItem> = {
  hint: restoreHint,
  schema: v.object({
    item: STORED_ITEM,
    agent: v.optional(v.object({ kind: v.string() })),
    job_id: v.string(),
    revision: v.optional(REVISION),
  }),
};

const CHANGES: DocumentShape<ChangesRecord> = {
  hint: restoreHint,
  schema: v.object({
    replay: v.optional(v.object({ snapshotId: v.string(), sourceDateEpoch: v.string() })),
    changes: v.array(CHANGE),
  }),
};

const strings = v.array(v.string());

const RESULT: DocumentShape<RunResult> = {
  hint: restoreHint,
  schema: v.object({
    status: v.picklist(['success', 'failure', 'denied', 'timeout']),
    receipt_id: v.string(),
    receipt_path: v.string(),
    modified_files: strings,
    created_files: strings,
    deleted_files: strings,
    output_hash: v.string(),
    metrics: v.object({}),
    error: v.optional(v.string()),
    denial_reason: v.optional(v.string()),
  }),
};

const WRITES: DocumentShape<{ readonly writes: readonly DescribedWrite[] }> = {
  hint: restoreHint,
  schema: v.object({ writes: v.array(v.object({ command: v.string() })) }),
};

/** Reads the item of an ended run, checked against its receipt like the other records. Undefined if the receipt covers no item. */
export function readExecutedItem(home: string, receipt: Receipt): ExecutedItem | undefined {
  return readCoveredDocument(home, receipt, 'item.json', ITEM);
}

export function readChangesRecord(home: string, receipt: Receipt): ChangesRecord | undefined {
  return readCoveredDocument(home, receipt, 'changes.json', CHANGES);
}

export function readResult(home: string, receipt: Receipt): RunResult | undefined {
  return readCoveredDocument(home, receipt, 'result.json', RESULT);
}

/** The journal writes that were committed with a run. */
export function readWrites(home: string, receipt: Receipt): readonly DescribedWrite[] | undefined {
  return readCoveredDocument(home, receipt, 'journal.json', WRITES)?.writes;
}
