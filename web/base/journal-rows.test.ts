import { describe, expect, it } from 'vitest';
import { withDays } from './journal-rows.ts';

const event = (id: string, at: string) => ({
  id,
  kind: 'progress',
  agent_name: 'a',
  task_id: null,
  message: id,
  metadata: {},
  created_at: at,
});

describe('the timeline', () => {
  it('names each day once, before its first event', () => {
    const rows = withDays([
      event('3', '2026-03-02T12:00:00.000Z'),
      event('2', '2026-03-02T11:00:00.000Z'),
      event('1', '2026-02-27T12:00:00.000Z'),
    ]);
    expect(rows.map(({ kind, key }) => (kind === 'day' ? 'day' : key))).toEqual([
      'day',
      '3',
      '2',
      'day',
      '1',
    ]);
  });
});
