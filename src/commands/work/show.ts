import * as v from 'valibot';
import { described, int, record } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { defineRead } from '../../contract/command.ts';
import { describeWrite } from '../../work/journal/describe-write.ts';
import { readReceipt } from '../../work/receipt/read-receipt.ts';
import { describeRun } from '../../work/run/describe-run.ts';
import { readOpenIsolation } from '../../work/run/read-open-isolation.ts';
import { requireFolder } from '../../work/run/run-folder.ts';
import { readChangesRecord, readExecutedItem, readResult, readWrites } from '../../work/run/run-records.ts';
import { listRolledBack } from '../../work/run/list-rolled-back.ts';
import { readDraft } from '../../work/run/stored-draft.ts';
import { describeAttempts } from './describe-attempts.ts';
import { describeUsage } from './describe-usage.ts';
import { findRunElsewhere } from './find-run-elsewhere.ts';
import { showElsewhere } from './show-elsewhere.ts';
import { RUN_LINE, resultSchema, RESULT_TEXT, runIdParameter } from './work-schemas.ts';

export default defineRead({
  path: 'work show',
  summary: 'Show one run: its item, changes, durations, tests, limits used, attempts and result',
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
    started_at: v.nullable(v.string()),
    ended_at: v.nullable(v.string()),
    decided_at: described(v.nullable(v.string()), 'When a person approved or rejected the run'),
    durations: v.object({ total_ms: v.nullable(int()), agent_ms: int(), tests_ms: v.nullable(int()) }),
    tests: v.nullable(record(v.unknown())),
    limits: record(v.object({ used: int(), limit: int() })),
    agent: v.nullable(record(v.unknown())),
    revision: v.nullable(record(v.unknown())),
    attempts: v.array(v.object({ run_id: v.string(), status: v.string(), comment: v.optional(v.string()) })),
    approval: v.nullable(record(v.unknown())),
    rolled_back: v.boolean(),
    result: v.nullable(resultSchema),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: [
    'item.description',
    'revision.comment',
    'attempts[].comment',
    'journal[].target',
    'journal[].params',
    ...RESULT_TEXT.map((field) => `result.${field}`),
  ],
  examples: ['work show 6a2x74g1', 'work show --id run_6a2x74g1q2w8d --fields status,changes'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN'],
  run: async ({ id }, context) => {
    const { home, system } = context;
    const elsewhere = await findRunElsewhere(id, context);
    if (elsewhere !== undefined) return showElsewhere(elsewhere, system.clock.now());
    const folder = requireFolder(home.path, 'run', id);
    const line = describeRun(home.path, id);
    if (line === undefined) {
      throw new Fault('E_NOT_FOUND', `Run "${id}" was interrupted before it recorded anything.`, {
        hint: '"deed work recover" recovers interrupted runs.',
        details: { field: 'id', id },
      });
    }
    const draft = readDraft(home.path, id);
    const receipt = draft === undefined ? readReceipt(home.path, id) : undefined;
    const kept = receipt && readExecutedItem(home.path, receipt);
    const record = receipt && readChangesRecord(home.path, receipt);
    const writes = receipt && readWrites(home.path, receipt);
    const changes = record?.changes ?? draft?.changes ?? [];
    const item = kept?.item ?? draft?.item;
    return {
      ...line,
      folder,
      item: item === undefined ? null : { ...item },
      changes: changes.map(({ path, action, type }) => ({ path, action, type })),
      journal: [...(writes ?? draft?.staged?.map(describeWrite) ?? [])],
      workspace: {
        ...(receipt?.workspace ?? draft?.workspace),
        ...(line.status === 'running' && readOpenIsolation(home.path, id)),
      },
      budget: { ...receipt?.budget },
      ...describeUsage(receipt, draft, system.clock.now()),
      ...describeAttempts(home.path, id, line),
      approval: receipt?.approval ? { ...receipt.approval } : null,
      rolled_back: receipt?.status === 'success' && listRolledBack(home.path).has(id),
      result: ((receipt && readResult(home.path, receipt)) ?? null) as never,
    };
  },
});
