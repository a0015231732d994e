import { expect, test } from 'vitest';
import { maskStored } from './mask-stored.ts';

test('what is stored is masked, and every place is listed with its kind', () => {
  const token = `ghp_${'aB3'.repeat(12)}`;
  expect(
    maskStored({
      event: {
        kind: 'note',
        message: `used ${token} today`,
        metadata: { db_password: 'hunter22', port: 5432 },
      },
      memories: [
        { key: 'api_key', value: 'a8Zk2Lq9' },
        { key: 'port', value: 8080 },
      ],
    }),
  ).toEqual({
    value: {
      event: {
        kind: 'note',
        message: 'used [REDACTED] today',
        metadata: { db_password: '[REDACTED]', port: 5432 },
      },
      memories: [
        { key: 'api_key', value: '[REDACTED]' },
        { key: 'port', value: 8080 },
      ],
    },
    redacted: [
      { field: 'event.message', kind: 'github' },
      { field: 'event.metadata.db_password', kind: 'password' },
      { field: 'memories[0].value', kind: 'key' },
    ],
  });
});

test('ordinary text and placeholders are stored as they are', () => {
  const value = { key: 'auth', value: 'Authorization: Bearer <token> header is required' };
  expect(maskStored(value)).toEqual({ value, redacted: [] });
});

test('names of things are never masked, and a token in one is rejected', () => {
  const value = {
    task_id: 'task_1',
    agent: 'claude',
    key: 'password: hunter22',
    file_path: '/a/token=abcdef',
  };
  expect(maskStored(value)).toEqual({ value, redacted: [] });
  expect(() => maskStored({ agent: `sk-${'aB3'.repeat(8)}` })).toThrow('agent contains a secret');
});
