import { expect, test } from 'vitest';
import { chooseModel } from './choose-model.ts';

test('recorded answers need no model, and none can be named for them', () => {
  expect(chooseModel(false, undefined, { OPENAI_API_KEY: 'k' })).toBeUndefined();
  expect(() => chooseModel(false, 'openai/x', {})).toThrow('recorded answers');
});

test.each([
  [
    undefined,
    { OPENAI_API_KEY: 'k' },
    { model: 'openai/gpt-5-mini', provider: {}, env: { OPENAI_API_KEY: 'k' } },
  ],
  [
    'openai/other',
    { OPENAI_API_KEY: 'k' },
    { model: 'openai/other', provider: {}, env: { OPENAI_API_KEY: 'k' } },
  ],
  ['ollama/llama', { OPENAI_API_KEY: 'k' }, { model: 'ollama/llama', provider: {}, env: {} }],
])('asked for %s, with %j', (asked, env, expected) => {
  expect(chooseModel(true, asked, env)).toEqual(expected);
});

test.each([
  [undefined, {}],
  ['anthropic/x', { OPENAI_API_KEY: 'k' }],
  [undefined, { OPENAI_API_KEY: '' }],
])('asked for %s, with %j there is no key', (asked, env) => {
  expect(() => chooseModel(true, asked, env)).toThrow('key of a provider');
});
