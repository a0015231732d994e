import { describe, expect, it } from 'vitest';
import { eventInWords, kindInWords, titlesOf } from './event-words.ts';
import type { JournalEvent } from './use-events.ts';

const TASK = 'task_6a9v2hdwajhc5';
const OTHER = 'task_6a9v2hm488t6n';

const event = (kind: string, message: string, more: Partial<JournalEvent> = {}): JournalEvent => ({
  id: '1',
  kind,
  agent_name: 'coder-1',
  task_id: TASK,
  message,
  metadata: {},
  created_at: '2026-01-01T10:00:00.000Z',
  ...more,
});

const CREATED = event('task_created', 'Write the reader');
const MOVED = event('task_status', `${TASK}: pending → in_progress`, {
  metadata: { from: 'pending', to: 'in_progress' },
});
const titles = titlesOf([CREATED]);

describe('an event in words', () => {
  it.each([
    [CREATED, 'Created: Write the reader'],
    [MOVED, 'To do → In progress: Write the reader'],
    [
      event('task_status', '', {
        metadata: { from: 'pending', to: 'blocked', blocked_reason: 'failure:Tests failed' },
      }),
      'To do → Blocked (Failed: Tests failed): Write the reader',
    ],
    [
      event('task_status', '', {
        metadata: { from: 'pending', to: 'blocked', blocked_reason: 'dependency' },
      }),
      'To do → Waiting: Write the reader',
    ],
    [event('agent_focus', TASK), 'Works on it: Write the reader'],
    [event('task_dependency_added', `${OTHER} → ${TASK} (blocks)`), `${OTHER} → Write the reader (blocks)`],
    [
      event('memory_set', `task/${TASK}/summary`, {
        metadata: { scope: 'task', scope_id: TASK, key: 'summary' },
      }),
      'Remembered summary: Write the reader',
    ],
    [
      event('memory_set', 'global//test', { metadata: { scope: 'global', scope_id: '', key: 'test' } }),
      'Remembered test',
    ],
    [event('run_started', 'suite (run_6a9nar3x86vaw, coder): started'), 'suite: started'],
    [event('progress', 'The parser (run_1) works'), 'The parser (run_1) works'],
  ])('has titles instead of ids: %#', (given, words) => {
    expect(eventInWords(given, titles)).toBe(words);
  });

  it('does not name the task that it is listed under', () => {
    expect([CREATED, MOVED].map((given) => eventInWords(given, titles, TASK))).toEqual([
      'Created',
      'To do → In progress',
    ]);
  });

  it('keeps the message of an event that has other data', () => {
    for (const given of [{ ...MOVED, metadata: {} }, event('memory_set', 'global//x')])
      expect(eventInWords(given, new Map())).toBe(given.message);
  });
});

it('names a kind in words', () => {
  expect(kindInWords('task_dependency_added')).toBe('task dependency added');
});
