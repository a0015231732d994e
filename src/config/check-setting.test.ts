import { expect, it } from 'vitest';
import { checkSetting } from './read-settings.ts';
import { DEED_SETTINGS } from './setting-table.ts';

function check(name: string, value: unknown): unknown {
  const setting = DEED_SETTINGS[name];
  if (setting === undefined) throw new Error(`no setting ${name}`);
  return checkSetting(name, setting, value);
}

it.each([
  ['work.agents', { a: { kind: 'builtin', constructor: 1 } }],
  ['work.agents', { $schema: 'https://example.org/agents.json', a: { kind: 'claude' } }],
  ['work.deltas', { rules: ['*.md'], quality: [] }],
  ['list.limit', 7],
  ['work.workspace', 'copy'],
])('%s accepts %j unchanged', (name, value) => {
  expect(check(name, value)).toEqual(value);
});

it.each([
  ['work.agents', []],
  ['work.agents', { a: [] }],
  ['work.agents', JSON.parse('{"a":{"__proto__":{"kind":"command"}}}')],
  ['work.deltas', JSON.parse('{"__proto__":1}')],
  ['work.deltas', { rules: ['*.md'], other: [] }],
  ['list.limit', 1.5],
  ['list.limit', '7'],
  ['work.workspace', 'both'],
])('%s rejects %j with the name of the setting', (name, value: unknown) => {
  expect(() => check(name, value)).toThrow(
    expect.objectContaining({ code: 'E_VALIDATION', details: { field: 'value', setting: name } }),
  );
});
