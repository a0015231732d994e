import { describe, expect, it } from 'vitest';
import { machine } from '../../../test/fixtures/real-processes.ts';
import type { LiveProcess } from '../actions/live-process.ts';
import { identifyActor, protectionOf, type Actor } from './live-protection.ts';

const ACTOR: Actor = { pid: 50, uid: 1000, session: 40, tty: 34_816, ancestors: [45, 40, 1] };
const RULES = { protectedNames: ['nginx', 'systemd*'], uid: 1000 };
const PLAIN: LiveProcess = {
  pid: 99,
  ppid: 1,
  session: 98,
  tty: 0,
  state: 'S',
  comm: 'node',
  startTicks: 5,
  kernel: false,
  uid: 1000,
  exe: '/usr/bin/node',
};

describe('right before a signal', () => {
  it.each<[string, Partial<LiveProcess>, string | undefined]>([
    ['this process', { pid: 50 }, 'it is this process'],
    ['an ancestor', { pid: 45 }, 'it is an ancestor of this process'],
    ['the init process', { pid: 1 }, 'it is an ancestor of this process'],
    ['a kernel thread', { kernel: true, exe: null }, 'it is a kernel thread'],
    ['a protected name', { comm: 'nginx' }, 'its name is on the protected list (nginx)'],
    [
      'a protected name with a wildcard',
      { comm: 'systemd-resolve' },
      'its name is on the protected list (systemd-resolve)',
    ],
    [
      'a protected program under another name',
      { comm: 'web', exe: '/usr/sbin/nginx' },
      'its name is on the protected list (web)',
    ],
    ['a process of another user', { uid: 1001 }, 'it belongs to another user'],
    ['a process with an unknown owner', { uid: null }, 'it belongs to another user'],
    [
      'a process in the same terminal session',
      { session: 40, tty: 34_816 },
      'it is in the terminal session of this process',
    ],
    ['any other process', {}, undefined],
  ])('protection of %s', (_what, changes, reason) => {
    expect(protectionOf({ ...PLAIN, ...changes }, ACTOR, RULES)).toBe(reason);
  });

  it('a session without a terminal is not protected', () => {
    expect(protectionOf({ ...PLAIN, session: 40 }, { ...ACTOR, tty: 0 }, RULES)).toBeUndefined();
  });

  it('the actor is identified with all its ancestors', () => {
    const actor = identifyActor(process.pid, 0, machine.readProcess);
    expect([actor.pid, actor.ancestors[0]]).toEqual([process.pid, process.ppid]);
    expect(actor.ancestors.at(-1)).toBe(1);
  });
});
