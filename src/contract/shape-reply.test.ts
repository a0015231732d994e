import { expect, test } from 'vitest';
import * as v from 'valibot';
import { record } from '../base/schema.ts';
import { Fault } from '../base/fault.ts';
import { defineRead, defineWrite } from './command.ts';
import { maskFault, shapeValue } from './shape-reply.ts';

const output = record(v.unknown());
const read = defineRead({
  path: 'thing get',
  summary: 'Get',
  params: {},
  output,
  untrusted: ['title', 'items[].text'],
  examples: [],
  run: async () => ({}),
});
const write = defineWrite({
  path: 'thing set',
  summary: 'Set',
  params: {},
  output,
  untrusted: ['title'],
  examples: [],
  plan: async () => ({ changes: [] }),
  run: async () => ({}),
});
const marks = (command: typeof read, data: Parameters<typeof shapeValue>[1]): unknown =>
  shapeValue(command, data, undefined).data._untrusted;

test('the fields with untrusted text are listed in the result', () => {
  expect(marks(read, { title: 'x' })).toEqual(['title', 'items[].text']);
});

test('untrusted data cannot remove the mark', () => {
  expect(marks(read, { title: 'x', _untrusted: [] })).toEqual(['title', 'items[].text']);
  expect(marks(read, { title: 'x', _untrusted: 'none' })).toEqual(['title', 'items[].text']);
  expect(marks(read, { title: 'x', confirm_token: 'ct_1' })).toEqual(['title', 'items[].text']);
  expect(marks(read, { title: 'x', _untrusted: ['more', 'title'] })).toEqual([
    'more',
    'title',
    'items[].text',
  ]);
});

test('a preview marks the state that it shows', () => {
  expect(marks(write, { preview: { changes: [] }, confirm_token: 'ct_1', expires_at: '' })).toEqual([
    'preview.changes[].before',
    'preview.changes[].after',
  ]);
});

test('a fault is masked in message, hint and details, and keeps its code', () => {
  const secret = `ghp_${'x'.repeat(40)}`;
  const fault = maskFault(
    new Fault('E_AUTH', secret, { hint: secret, details: { password: 'hush', more: [secret] } }),
  );
  expect([fault.code, fault.message, fault.hint, fault.details]).toEqual([
    'E_AUTH',
    '[REDACTED]',
    '[REDACTED]',
    { password: '[REDACTED]', more: ['[REDACTED]'] },
  ]);
});
