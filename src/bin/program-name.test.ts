import { expect, test } from 'vitest';
import { PROGRAM_VARIABLE } from '../system/program-variable.ts';
import { takeProgramName } from './program-name.ts';

test.each([
  ['/usr/bin/vybe', undefined, 'vybe'],
  ['pt', undefined, 'pt'],
  ['/x/deed', 'ai-agent', 'ai-agent'],
  ['/x/vybe', 'deed', 'deed'],
  ['/x/anything', undefined, 'deed'],
  ['/x/pt', 'nonsense', 'pt'],
  ['/x/__proto__', 'constructor', 'deed'],
])('started as %s with the variable %s it runs as %s', (argv0, requested, expected) => {
  expect(takeProgramName(argv0, { [PROGRAM_VARIABLE]: requested })).toBe(expected);
});

test('no child process inherits the variable', () => {
  const env = { [PROGRAM_VARIABLE]: 'vybe', PATH: '/bin' };
  takeProgramName('deed', env);
  expect(env).toEqual({ PATH: '/bin' });
});
