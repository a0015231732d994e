import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import { allowDeletionByAge } from './deletable-since.ts';
import {
  abandonRequest,
  finishRequest,
  recallRequest,
  startRequest,
  type RequestKey,
} from './request-log.ts';

let context: KernelContext;
beforeEach(() => {
  context = createKernelContext();
});
afterEach(() => context.dispose());

const key = (more: Partial<RequestKey> = {}): RequestKey => ({
  agent: 'agent',
  requestId: 'id',
  command: 'note add',
  params: { text: 'a' },
  ...more,
});
const conflict = (reason: string): unknown =>
  expect.objectContaining({ code: 'E_CONFLICT', details: { field: 'request_id', reason } });

test('an unknown id has no answer, a finished one has its answer', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (agent, requestId, value) => {
        const result = JSON.parse(JSON.stringify(value)) as Record<string, never>;
        const own = key({ agent, requestId });
        abandonRequest(context.home, own);
        expect(recallRequest(context.home, own)).toBeUndefined();
        expect(startRequest(context.home, own)).toBeUndefined();
        finishRequest(context.home, own, result);
        expect(recallRequest(context.home, own)).toEqual(result);
      },
    ),
    { numRuns: 30 },
  );
});

test('the boundary between agent and id is part of the key', () => {
  startRequest(context.home, key({ agent: 'a', requestId: 'bc' }));
  expect(recallRequest(context.home, key({ agent: 'ab', requestId: 'c' }))).toBeUndefined();
});

test('a started id is unfinished, for a lookup and for a second start', () => {
  startRequest(context.home, key());
  expect(() => recallRequest(context.home, key())).toThrow(conflict('unfinished'));
  expect(() => startRequest(context.home, key())).toThrow(conflict('unfinished'));
});

test('starting an id that is already finished returns its answer', () => {
  startRequest(context.home, key());
  finishRequest(context.home, key(), { text: 'a' });
  expect(startRequest(context.home, key())).toEqual({ text: 'a' });
});

test('another command or other arguments with the same id are a conflict, in any member order', () => {
  startRequest(context.home, key({ params: { a: 1, b: 2 } }));
  finishRequest(context.home, key({ params: { a: 1, b: 2 } }), {});
  expect(() => recallRequest(context.home, key({ command: 'note delete' }))).toThrow(
    conflict('other_command'),
  );
  expect(() => recallRequest(context.home, key({ params: { a: 1 } }))).toThrow(conflict('other_payload'));
  expect(recallRequest(context.home, key({ params: { b: 2, a: 1 } }))).toEqual({});
});

test('an abandoned id can be used again', () => {
  startRequest(context.home, key());
  abandonRequest(context.home, key());
  expect(startRequest(context.home, key())).toBeUndefined();
});

test('records older than a month are deleted once a day, those from before this version only after a cleanup was confirmed', () => {
  startRequest(context.home, key());
  const folder = context.home.at('requests');
  const old = join(folder, 'old.json');
  writeFileSync(old, '{}');
  const age = (path: string, days: number): void => {
    const time = Date.now() / 1000 - days * 86_400;
    utimesSync(path, time, time);
  };
  age(old, 31);
  startRequest(context.home, key({ requestId: 'second' }));
  expect(readdirSync(folder)).toContain('old.json');
  age(join(folder, 'pruned'), 2);
  startRequest(context.home, key({ requestId: 'third' }));
  expect(readdirSync(folder)).toContain('old.json');
  allowDeletionByAge(context.home);
  age(join(folder, 'pruned'), 2);
  startRequest(context.home, key({ requestId: 'fourth' }));
  expect(readdirSync(folder)).not.toContain('old.json');
  expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toHaveLength(4);
});

test('records are readable only by this account', () => {
  startRequest(context.home, key());
  const folder = context.home.at('requests');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});
