import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderStat } from '../../../test/fixtures/proc-root.ts';
import { parseStat } from './stat.ts';

test('reads the fields that are used', () => {
  const entry = {
    pid: 42,
    ppid: 7,
    session: 40,
    tty: 34_816,
    comm: 'node',
    state: 'R',
    startTicks: 12_345,
    cpuTicks: 99,
  };
  expect(parseStat(renderStat(entry))).toEqual({
    comm: 'node',
    state: 'R',
    ppid: 7,
    group: 40,
    session: 40,
    tty: 34_816,
    kernel: false,
    cpuTicks: 99,
    threads: 1,
    startTicks: 12_345,
    rssPages: 250,
  });
});

test('recognizes a kernel thread by its flags', () => {
  expect(parseStat(renderStat({ pid: 2, flags: 0x0020_8040 }))?.kernel).toBe(true);
});

test('a process cannot forge its fields by its name', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 15 }), fc.nat(), fc.nat(), (bytes, ppid, startTicks) => {
      const comm = Buffer.from(bytes).toString('latin1');
      expect(parseStat(renderStat({ pid: 5, ppid, comm, startTicks }))).toMatchObject({
        comm,
        ppid,
        startTicks,
        state: 'S',
      });
    }),
  );
});

test('a line truncated at any position is rejected', () => {
  const whole = renderStat({ pid: 5, comm: 'a) b', startTicks: 777 });
  const parsed = parseStat(whole);
  for (let length = 0; length < whole.length; length += 1) {
    const part = parseStat(whole.slice(0, length));
    if (part !== undefined) expect({ ...part, rssPages: 0 }).toEqual({ ...parsed, rssPages: 0 });
  }
});
