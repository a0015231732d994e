import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import * as v from 'valibot';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import { chunksOf } from '../base/chunks-of.ts';
import { Fault } from '../base/fault.ts';
import { applyBatch, planBatch, previewBatch } from './batch.ts';
import { defineBatch, type BatchCommand } from './command.ts';

const contexts: KernelContext[] = [];
afterEach(() => contexts.splice(0).forEach((context) => context.dispose()));

function createContext(signal?: AbortSignal): KernelContext {
  const context = createKernelContext(signal && { signal });
  contexts.push(context);
  return context;
}

/** A batch in which the target's name selects its outcome. */
function batch(
  chunkSize: number,
  calls: string[][] = [],
  onCall: () => void = () => undefined,
): BatchCommand {
  return defineBatch({
    path: 'thing do',
    summary: 'Do things',
    params: { ids: v.array(v.string()) },
    targets: 'ids',
    action: 'do',
    chunkSize,
    examples: [],
    plan: async ({ ids }) =>
      ids.map((id) =>
        id.startsWith('unknown') ? new Fault('E_NOT_FOUND', id) : { action: 'do', resource: 'thing', id },
      ),
    apply: async (changes) => {
      calls.push(changes.map(({ id }) => id));
      onCall();
      if (changes.some(({ id }) => id.startsWith('break'))) throw new Fault('E_SERVER', 'broken');
      return changes.map(({ id }) => (id.startsWith('fail') ? new Fault('E_CONFLICT', id) : { done: id }));
    },
  }) as BatchCommand;
}

async function run(ids: string[], chunkSize: number, continueOnError: boolean, signal?: AbortSignal) {
  const calls: string[][] = [];
  const context = createContext(signal);
  const command = batch(chunkSize, calls);
  const planned = await planBatch(command, { ids }, context);
  const result = await applyBatch(command, planned, { ids }, context, { continueOnError });
  return { result: result as unknown as BatchResult, calls };
}

interface BatchResult {
  readonly items: { target: string; ok: boolean; error?: { code: string } }[];
  readonly summary: { total: number; succeeded: number; failed: number; skipped?: number };
  readonly skipped?: string[];
}

const targets = fc
  .array(fc.constantFrom('good', 'fail', 'break', 'unknown'), { minLength: 1, maxLength: 12 })
  .map((kinds) => kinds.map((kind, index) => `${kind}-${index}`));
const sizes = fc.integer({ min: 1, max: 5 });

test('a batch that continues reports every target once, in order, with correct counts', async () => {
  await fc.assert(
    fc.asyncProperty(targets, sizes, async (ids, size) => {
      const { result, calls } = await run(ids, size, true);
      expect(result.items.map(({ target }) => target)).toEqual(ids);
      const failed = result.items.filter(({ ok }) => !ok).length;
      expect(result.summary).toEqual({ total: ids.length, succeeded: ids.length - failed, failed });
      expect(calls.flat()).toEqual(ids.filter((id) => !id.startsWith('unknown')));
      expect(calls.every((call) => call.length > 0 && call.length <= size)).toBe(true);
    }),
  );
});

test('a failed chunk fails its own targets and no others', async () => {
  await fc.assert(
    fc.asyncProperty(targets, sizes, async (ids, size) => {
      const { result, calls } = await run(ids, size, true);
      for (const { target, ok, error } of result.items) {
        const call = calls.find((members) => members.includes(target)) ?? [];
        const broken = call.some((id) => id.startsWith('break'));
        if (target.startsWith('unknown')) expect(error?.code).toBe('E_NOT_FOUND');
        else if (broken) expect(error?.code).toBe('E_SERVER');
        else if (target.startsWith('fail')) expect(error?.code).toBe('E_CONFLICT');
        else expect(ok).toBe(true);
      }
    }),
  );
});

test('a batch that stops reports its results and the skipped targets, together all targets', async () => {
  await fc.assert(
    fc.asyncProperty(targets, sizes, async (ids, size) => {
      const { result } = await run(ids, size, false);
      const reported = result.items.map(({ target }) => target);
      expect([...reported, ...(result.skipped ?? [])]).toEqual(ids);
      expect(result.summary.skipped ?? 0).toBe(result.skipped?.length ?? 0);
      expect(result.summary.total).toBe(reported.length);
      const whole = chunksOf(result.items, size).slice(0, -1).flat();
      expect(whole.every(({ ok }) => ok)).toBe(true);
    }),
  );
});

test('an interrupted batch reports its results and the skipped targets', async () => {
  const controller = new AbortController();
  const context = createContext(controller.signal);
  const command = batch(2, [], () => controller.abort());
  const params = { ids: ['a', 'b', 'c', 'd'] };
  const planned = await planBatch(command, params, context);
  await expect(
    applyBatch(command, planned, params, context, { continueOnError: true }),
  ).rejects.toMatchObject({
    code: 'E_INTERRUPTED',
    details: {
      items: [
        { target: 'a', ok: true, done: 'a' },
        { target: 'b', ok: true, done: 'b' },
      ],
      summary: { total: 2, succeeded: 2, failed: 0, skipped: 2 },
      skipped: ['c', 'd'],
    },
  });
});

test('an interruption after the last target changes nothing', async () => {
  const controller = new AbortController();
  const context = createContext(controller.signal);
  const command = batch(2, [], () => controller.abort());
  const params = { ids: ['a', 'b'] };
  const planned = await planBatch(command, params, context);
  const result = await applyBatch(command, planned, params, context, { continueOnError: true });
  expect(result.summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
});

test('a plan with a different length than its targets throws', async () => {
  const command = { ...batch(1), plan: async () => [] };
  await expect(planBatch(command, { ids: ['a'] }, createContext())).rejects.toThrow(
    'planned 0 changes for 1 targets',
  );
});

test('a preview lists the changes and, separately, the unresolved targets', async () => {
  const command = batch(1);
  const planned = await planBatch(command, { ids: ['a', 'unknown'] }, createContext());
  expect(previewBatch(command, planned)).toEqual({
    action: 'do',
    total: 2,
    targets: ['a', 'unknown'],
    changes: [{ action: 'do', resource: 'thing', id: 'a' }],
    unresolved: [{ target: 'unknown', error: { code: 'E_NOT_FOUND', retryable: false, message: 'unknown' } }],
  });
});
