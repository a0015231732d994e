import { describe, expect, it } from 'vitest';
import { lastSessionLine } from './last-session-line.ts';

describe('the last line of a session', () => {
  const user = { role: 'user', content: 'Sum up the logs.' };
  const calls = {
    role: 'assistant',
    content: 'I read both.',
    toolCalls: [{ name: 'read' }, { name: 'list' }],
  };

  it('is what the agent called, got or wrote', () => {
    expect(lastSessionLine([user, calls])).toBe('→ read, list');
    expect(lastSessionLine([user, calls, { role: 'tool', toolName: 'read', content: 'a\nb\n' }])).toBe(
      'read: b',
    );
    expect(lastSessionLine([user, { role: 'assistant', content: 'Done.\nTwo failed.' }])).toBe('Two failed.');
  });

  it('is missing before the first answer', () => {
    expect(lastSessionLine([user])).toBeUndefined();
  });
});
