import { expect, test } from 'vitest';
import { exemptLoopback } from './exempt-loopback.ts';

const LOOPBACK = 'localhost,127.0.0.1,127.0.0.0/8,::1';
const PROXY = 'http://proxy.test:3128';

function exempted(env: Record<string, string | undefined>): Record<string, string | undefined> {
  exemptLoopback(env);
  return env;
}

test('without a proxy nothing is changed', () => {
  expect(exempted({ NO_PROXY: 'a.test', HTTP_PROXY: '' })).toEqual({ NO_PROXY: 'a.test', HTTP_PROXY: '' });
});

test.each(['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])(
  'loopback is exempt from %s',
  (name) => {
    expect(exempted({ [name]: PROXY })).toEqual({ [name]: PROXY, NO_PROXY: LOOPBACK });
  },
);

test('exceptions of the user are kept, in the variable that takes precedence', () => {
  expect(exempted({ HTTP_PROXY: PROXY, NO_PROXY: 'a.test' }).NO_PROXY).toBe(`a.test,${LOOPBACK}`);
  expect(exempted({ HTTP_PROXY: PROXY, NO_PROXY: 'a.test', no_proxy: 'b.test' })).toEqual({
    HTTP_PROXY: PROXY,
    NO_PROXY: 'a.test',
    no_proxy: `b.test,${LOOPBACK}`,
  });
});
