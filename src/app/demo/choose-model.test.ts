import { expect, test } from 'vitest';
import { chooseModel } from './choose-model.ts';

test('without --live there is no model, and --model is rejected', () => {
  expect(chooseModel(false, undefined, { OPENAI_API_KEY: 'k' })).toBeUndefined();
  expect(() => chooseModel(false, 'openai/x', {})).toThrow('recorded responses');
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
])('with the model %s and the environment %j', (requested, env, expected) => {
  expect(chooseModel(true, requested, env)).toEqual(expected);
});

test.each([
  [undefined, {}],
  ['anthropic/x', { OPENAI_API_KEY: 'k' }],
  [undefined, { OPENAI_API_KEY: '' }],
])('fails without a key for the model %s and the environment %j', (requested, env) => {
  expect(() => chooseModel(true, requested, env)).toThrow('key of a provider');
});
