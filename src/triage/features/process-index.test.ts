import { describe, expect, test } from 'vitest';
import { createProcess } from '../../../test/fixtures/triage-snapshot.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import type { ProcessFacts } from '../process-snapshot.ts';
import { indexProcesses } from './process-index.ts';
import { isSuspect } from './suspect.ts';

const { names } = DEFAULT_PARAMETERS;
const at = (
  pid: number,
  ppid: number,
  session: number,
  comm = 'program',
  more: Partial<ProcessFacts> = {},
): ProcessFacts => createProcess({ pid, ppid, session, comm, startTicks: pid, ...more });
const init = at(1, 0, 1, 'systemd');

describe('the orphaned ancestor', () => {
  test('is an orphan adopted by init, for itself and all its descendants', () => {
    const index = indexProcesses([init, at(50, 1, 40), at(51, 50, 40), at(52, 51, 52)], names, false);
    expect([50, 51, 52].map((pid) => index.topOf(get(index, pid))?.pid)).toEqual([50, 50, 50]);
  });

  test('is an orphan adopted by an unknown subreaper, which has neither its own session nor that of its parent', () => {
    const reaper = at(20, 1, 20, 'sshd');
    const index = indexProcesses(
      [init, reaper, at(30, 20, 20), at(31, 20, 31), at(32, 20, 25)],
      names,
      false,
    );
    expect([30, 31, 32].map((pid) => index.topOf(get(index, pid))?.pid)).toEqual([undefined, undefined, 32]);
  });

  test('is every child but the first of an init that starts one program', () => {
    const index = indexProcesses(
      [at(1, 0, 1, 'tini'), at(7, 1, 1), at(30, 1, 1), at(31, 7, 1)],
      names,
      false,
    );
    expect([7, 30, 31].map((pid) => index.topOf(get(index, pid))?.pid)).toEqual([undefined, 30, undefined]);
  });

  test('is not a child of a first process that is an ordinary program', () => {
    const index = indexProcesses([at(1, 0, 1, 'node'), at(7, 1, 1), at(8, 7, 8)], names, false);
    expect([7, 8].map((pid) => index.topOf(get(index, pid)))).toEqual([undefined, undefined]);
  });

  test('is not a descendant of a protected daemon', () => {
    const index = indexProcesses([init, at(20, 1, 20, 'sshd'), at(21, 20, 21), at(22, 21, 21)], names, false);
    expect([20, 21, 22].map((pid) => index.topOf(get(index, pid)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('is not the observer, its ancestors or their descendants', () => {
    const job = [init, at(50, 1, 40), at(51, 50, 40), at(52, 51, 52), at(60, 1, 41)];
    const index = indexProcesses(job, names, false, 51);
    expect([50, 51, 52, 60].map((pid) => index.topOf(get(index, pid))?.pid)).toEqual([
      undefined,
      undefined,
      undefined,
      60,
    ]);
  });

  test('is not a process with a hidden parent', () => {
    const index = indexProcesses([init, at(50, 49, 40)], names, true);
    expect(index.topOf(get(index, 50))).toBeUndefined();
    expect(index.leaderAlive(get(index, 50))).toBe(true);
  });
});

test('a later process with the pid of a session leader is not the leader', () => {
  const reused = at(40, 1, 40, 'other', { startTicks: 9999 });
  const index = indexProcesses([init, reused, at(50, 1, 40, 'left', { startTicks: 60 })], names, false);
  expect(index.leaderAlive(get(index, 50))).toBe(false);
});

test('a cycle of parents in an invalid proc root terminates', () => {
  const index = indexProcesses([at(50, 51, 40), at(51, 50, 40)], names, false);
  expect(index.topOf(get(index, 50))).toBeUndefined();
  expect(index.descendantsOf(50).map(({ pid }) => pid)).toEqual([51]);
});

describe('a suspect', () => {
  const index = indexProcesses(
    [init, at(20, 1, 20, 'sshd'), at(21, 20, 20), at(50, 1, 50), at(60, 1, 60, 'bash', { tty: 34_816 })],
    names,
    false,
  );

  test.each([
    ['is not a process with a complete chain of parents', 21, 0, {}, false],
    ['is the same process if it is busy', 21, 0.9, {}, true],
    ['is the same process if it is stopped', 21, 0, { state: 'T' }, true],
    ['is the same process if it has exited', 21, 0, { state: 'Z' }, true],
    ['is an orphan', 50, 0, {}, true],
    ['is not an orphan with an open terminal', 60, 0, {}, false],
    ['is not a kernel thread', 21, 1, { kernel: true }, false],
  ])('%s', (_name, pid, share, changes, expected) => {
    expect(isSuspect(index, { ...get(index, pid), ...changes }, share)).toBe(expected);
  });
});

function get(index: ReturnType<typeof indexProcesses<ProcessFacts>>, pid: number): ProcessFacts {
  const process = index.get(pid);
  if (process === undefined) throw new Error(`no process ${pid}`);
  return process;
}
