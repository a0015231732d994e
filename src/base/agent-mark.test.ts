import { expect, it } from 'vitest';
import { parseAgentMark, renderAgentMark } from './agent-mark.ts';

const MARK = {
  session: '0123456789abcdef0123456789abcdef',
  pid: 4711,
  bootId: '01234567-89ab-cdef-0123-456789abcdef',
  startTicks: 123_456,
  space: '4026531836',
};

it('a rendered mark parses to the same mark', () => {
  expect(parseAgentMark(renderAgentMark(MARK))).toEqual(MARK);
});

it.each([undefined, '', 'x', '../../etc/passwd', `${renderAgentMark(MARK)}:more`, '0123456789abcdef:1:b:2'])(
  'an incomplete mark is rejected: %j',
  (text) => {
    expect(parseAgentMark(text)).toBeUndefined();
  },
);
