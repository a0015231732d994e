import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { canonicalJson } from '../../base/json.ts';
import type { CommandContext } from '../../contract/command.ts';
import { resolverOf } from '../../contract/resolve-ids.ts';
import type { RunDraft } from '../../work/run/run-draft.ts';
import { writeRunState } from '../../work/run/run-state.ts';
import { writeDraft } from '../../work/run/stored-draft.ts';
import { receiptId, runId } from './work-ids.ts';

const folder = temporaryFolder('work-ids');
const context = { home: { path: folder.path } } as CommandContext;
afterAll(() => folder.dispose());

const resolve = (schema: v.GenericSchema, value: string): unknown =>
  resolverOf(schema)?.({ field: 'id', value, params: {}, context });
const run = (value: string): unknown => resolve(runId(v.string()), value);
const receipt = (value: string): unknown => resolve(receiptId(v.string()), value);

const RUNS = [
  'run_019a8c1b2d3e0123456789ab',
  ...Array.from({ length: 12 }, (_, index) => `run_6a2x74g${index.toString(32)}k3m9p`),
];
const RECEIPT = '6a2x74e1-0000-4000-8000-000000000001';
/** Without a receipt. */
const OPEN = 'run_6c00000000000';

beforeAll(() => {
  for (const id of [...RUNS, OPEN]) {
    writeDraft(folder.path, {
      runId: id,
      receiptId: RECEIPT,
      jobId: 'job_x',
      item: {
        id: `item of ${id}`,
        agent_id: 'a',
        description: '',
        dependencies: [],
        constraints: { max_files: 1, max_tool_ops: 1, max_delta_size: 1, timeout_ms: 1 },
      },
      itemHash: '',
      root: '/',
      startedAt: '2026-01-01T00:00:00Z',
      status: 'success',
      before: { hash: '' },
      afterHash: '',
      changes: [],
      deltas: { deltaO: [], deltaPi: [], deltaLambda: [], deltaQ: [] },
      toolTrace: [],
      toolSource: 'none',
      executionMs: 0,
      workspace: { mode: 'copy', fallbacks: [], drift: [] },
    } as unknown as RunDraft);
    writeRunState(folder.path, id, 'waiting');
  }
  const lines = RUNS.slice(0, 3).map((run_id, index) => ({
    run_id,
    receipt_id: index === 0 ? RECEIPT : `00000000-0000-4000-8000-00000000000${index}`,
    receipt_hash: 'h',
    previous_receipt_hash: '',
    run_hash: '',
    status: 'success',
    phase: 'run',
    root: '/',
    work_item_hash: '',
    before_hash: '',
    after_hash: '',
    timestamp_iso: '2026-01-01T00:00:00Z',
  }));
  writeFileSync(
    join(folder.path, 'runs/chain.jsonl'),
    lines.map((line) => `${canonicalJson(line)}\n`).join(''),
  );
});

describe('a prefix of the id of a run', () => {
  it.each([
    ['6a2x74g3', 'run_6a2x74g3k3m9p'],
    ['run_6a2x74g3', 'run_6a2x74g3k3m9p'],
    ['019a8c', RUNS[0]],
    ['run_019a8c1b2d3e', RUNS[0]],
    // As long as an id of this version.
    ['run_019a8c1b2d3e0', RUNS[0]],
    [RUNS[0], RUNS[0]],
    ['6d0000', '6d0000'],
    ['../../x', '../../x'],
    ['job_6a2x74g3', 'job_6a2x74g3'],
  ])('%s is %s', async (given, id) => {
    expect(await run(given ?? '')).toBe(id);
  });

  it('that is ambiguous is rejected with ten candidates and the items they ran', async () => {
    const newest = RUNS.slice(1).toReversed().slice(0, 10);
    await expect(run('6a2x74')).rejects.toMatchObject({
      code: 'E_VALIDATION',
      message: 'The id "6a2x74" is ambiguous: more than 10 ids start with it.',
      details: { candidates: newest.map((id) => ({ id, title: `item of ${id}` })) },
    });
    await expect(run('6a2x7')).rejects.toMatchObject({ code: 'E_VALIDATION', details: { min: 6 } });
  });
});

describe('a prefix of the id of a receipt', () => {
  it.each([
    ['of its run', '6a2x74g1', RUNS[2]],
    ['of the receipt', '6a2x74e1', RECEIPT],
    ['that is the whole id', RECEIPT, RECEIPT],
    ['of a run without a receipt', '6c0000', '6c0000'],
  ])('%s is that receipt', async (_, given, id) => {
    expect(await receipt(given)).toBe(id);
  });

  it('that a run and a receipt start with is ambiguous', async () => {
    await expect(receipt('6a2x74')).rejects.toMatchObject({
      code: 'E_VALIDATION',
      details: { candidates: [{ id: RUNS[1] }, { id: RUNS[2] }, { id: RECEIPT }] },
    });
  });
});
