import { describe, expect, it } from 'vitest';
import { plainOutput } from './plain-output.ts';

describe('the output of a program', () => {
  it('has no escape sequences', () => {
    expect(plainOutput('\u001B[31mFAIL\u001B[0m a \u001B[2J\u001B(B\u001B[?25lb')).toBe('FAIL a b');
    expect(plainOutput('\u001B]0;title\u0007x\u001B]8;;http://a\u001B\\link\u001B]8;;\u001B\\')).toBe(
      'xlink',
    );
  });

  it('has the last text of a line that was overwritten', () => {
    expect(plainOutput(' 10 %\r 50 %\r100 %\nend\r\n')).toBe('100 %\nend\n');
  });
});
