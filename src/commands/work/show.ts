import { join } from 'node:path';
import * as v from 'valibot';
import { record } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { defineRead } from '../../contract/command.ts';
import { describeWrite, type DescribedWrite } from '../../work/journal/describe-write.ts';
import type { Receipt } from '../../work/receipt/receipt.ts';
import { describeRun } from '../../work/run/describe-run.ts';
import type { RunDraft } from '../../work/run/run-draft.ts';
import { requireFolder } from '../../work/run/run-folder.ts';
import { readDocument } from '../../work/run/json-document.ts';
import type { RunResult } from '../../work/run/run-result.ts';
import { RUN_LINE, resultSchema, RESULT_TEXT, runIdParameter } from './work-schemas.ts';

export default defineRead({
  path: 'work show',
  summary: 'Show one run: its item, changes, journal writes, isolation and result',
  params: { id: runIdParameter },
  positionals: ['id'],
  output: v.object({
    ...RUN_LINE,
    folder: v.string(),
    item: v.nullable(record(v.unknown())),
    changes: v.array(v.object({ path: v.string(), action: v.string(), type: v.string() })),
    journal: v.array(
      v.object({ command: v.string(), target: v.string(), params: record(v.unknown()), hash: v.string() }),
    ),
    workspace: record(v.unknown()),
    budget: record(v.unknown()),
    approval: v.nullable(record(v.unknown())),
    result: v.nullable(resultSchema),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: [
    'item.description',
    'journal[].target',
    'journal[].params',
    ...RESULT_TEXT.map((field) => `result.${field}`),
  ],
  examples: ['work show 6a2x74g1', 'work show --id run_6a2x74g1q2w8d --fields status,changes'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: async ({ id }, { home }) => {
    const folder = requireFolder(home.path, 'run', id);
    const line = describeRun(home.path, id);
    if (line === undefined) {
      throw new Fault('E_NOT_FOUND', `Run "${id}" was interrupted before it recorded anything.`, {
        hint: '"deed work recover" recovers interrupted runs.',
        details: { field: 'id', id },
      });
    }
    const draft = readDocument<RunDraft>(join(folder, 'draft.json'));
    const receipt = readDocument<Receipt>(join(folder, 'RECEIPT.json'));
    const kept = readDocument<{ item: Record<string, unknown> }>(join(folder, 'item.json'));
    const record = readDocument<Pick<RunDraft, 'changes'>>(join(folder, 'changes.json'));
    const writes = readDocument<{ writes: DescribedWrite[] }>(join(folder, 'journal.json'))?.writes;
    const changes = record?.changes ?? draft?.changes ?? [];
    return {
      ...line,
      folder,
      item: kept?.item ?? (draft?.item as Record<string, unknown> | undefined) ?? null,
      changes: changes.map(({ path, action, type }) => ({ path, action, type })),
      journal: [...(writes ?? draft?.staged?.map(describeWrite) ?? [])],
      workspace: { ...(receipt?.workspace ?? draft?.workspace) },
      budget: { ...receipt?.budget },
      approval: receipt?.approval ? { ...receipt.approval } : null,
      result: (readDocument<RunResult>(join(folder, 'result.json')) ?? null) as never,
    };
  },
});
