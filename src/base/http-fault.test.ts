import { expect, test } from 'vitest';
import { faultFromNetwork, faultFromStatus, parseRetryAfter } from './http-fault.ts';

const URL_TEXT = 'https://example.com/a/b';

test('each upstream status has its own code', () => {
  const statuses = [301, 400, 401, 403, 404, 405, 407, 408, 409, 410, 412, 422, 429, 451, 500, 502, 503, 504];
  expect(statuses.map((status) => [status, faultFromStatus(status, URL_TEXT).code])).toEqual([
    [301, 'E_UNKNOWN'],
    [400, 'E_VALIDATION'],
    [401, 'E_AUTH'],
    [403, 'E_FORBIDDEN'],
    [404, 'E_NOT_FOUND'],
    [405, 'E_VALIDATION'],
    [407, 'E_AUTH'],
    [408, 'E_TIMEOUT'],
    [409, 'E_CONFLICT'],
    [410, 'E_NOT_FOUND'],
    [412, 'E_CONFLICT'],
    [422, 'E_VALIDATION'],
    [429, 'E_RATE_LIMITED'],
    [451, 'E_FORBIDDEN'],
    [500, 'E_SERVER'],
    [502, 'E_SERVER'],
    [503, 'E_SERVER'],
    [504, 'E_SERVER'],
  ]);
});

test('a status fault contains the status, the URL and the retry delay', () => {
  expect(faultFromStatus(429, URL_TEXT, 2000).details).toEqual({
    status: 429,
    url: URL_TEXT,
    retry_after_ms: 2000,
  });
});

test('secrets in the URL are not shown', () => {
  const fault = faultFromStatus(404, 'https://user:hush@example.com/a?key=hush#hush');
  expect(fault.message + JSON.stringify(fault.details)).not.toContain('hush');
});

test('an unreachable server is a network fault that names the reason', () => {
  for (const reason of ['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'EAI_AGAIN', 'ConnectionRefused']) {
    const cause = Object.assign(new Error('low'), { code: reason });
    const fault = faultFromNetwork(new TypeError('fetch failed', { cause }), URL_TEXT);
    expect([fault.code, fault.details.reason]).toEqual(['E_NETWORK', reason]);
  }
});

test('the reason is also found among several failed addresses', () => {
  const refused = Object.assign(new Error('v6'), { code: 'ECONNREFUSED' });
  const fault = faultFromNetwork(
    new TypeError('fetch failed', { cause: new AggregateError([refused]) }),
    URL_TEXT,
  );
  expect([fault.code, fault.details.reason]).toEqual(['E_NETWORK', 'ECONNREFUSED']);
});

test('a missing response is a timeout', () => {
  const late = faultFromNetwork(new DOMException('late', 'TimeoutError'), URL_TEXT);
  const connect = faultFromNetwork(
    new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ETIMEDOUT' }) }),
    URL_TEXT,
  );
  expect([late.code, connect.code]).toEqual(['E_TIMEOUT', 'E_TIMEOUT']);
});

test('an untrusted certificate is not retryable', () => {
  const cause = Object.assign(new Error(), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(faultFromNetwork(new TypeError('fetch failed', { cause }), URL_TEXT).code).toBe('E_CONFIG');
});

test('a fault is passed on and anything unknown is a network fault', () => {
  const fault = faultFromStatus(500, URL_TEXT);
  expect(faultFromNetwork(fault, URL_TEXT)).toBe(fault);
  expect(faultFromNetwork('odd', URL_TEXT).details.reason).toBe('unknown');
});

test('Retry-After is read in seconds or as a date', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(parseRetryAfter('120', now)).toBe(120_000);
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:05 GMT', now)).toBe(5000);
  expect(parseRetryAfter('Thu, 01 Jan 2020 00:00:05 GMT', now)).toBe(0);
  expect(parseRetryAfter('soon', now)).toBeUndefined();
  expect(parseRetryAfter(null, now)).toBeUndefined();
});
