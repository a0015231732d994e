import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../test/fixtures/start-node.ts';
import { readProcessState } from '../process-identity.ts';
import { openLibc, WORKING_FOLDER } from './libc.ts';

const libc = await openLibc();
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-libc-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('pidfd', () => {
  test('a signal reaches the opened process, and its exit is detected', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const pidfd = libc.pidfdOpen(child.pid ?? 0);
    try {
      expect(libc.pidfdHasEnded(pidfd)).toBe(false);
      libc.pidfdSendSignal(pidfd, constants.signals.SIGKILL);
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      expect(libc.pidfdHasEnded(pidfd)).toBe(true);
      expect(() => {
        libc.pidfdSendSignal(pidfd, constants.signals.SIGTERM);
      }).toThrow(expect.objectContaining({ code: 'ESRCH', syscall: 'pidfd_send_signal' }));
    } finally {
      closeSync(pidfd);
    }
  });

  test('pidfdHasEnded is correct while signals arrive', async () => {
    let signals = 0;
    const count = (): void => void (signals += 1);
    process.on('SIGWINCH', count);
    const sender = spawn(
      process.execPath,
      [
        '-e',
        `for (let end = Date.now() + ${LONG ? 1500 : 300}; Date.now() < end;) process.kill(${process.pid}, 'SIGWINCH')`,
      ],
      { stdio: 'ignore' },
    );
    await once(sender, 'spawn');
    const pidfd = libc.pidfdOpen(sender.pid ?? 0);
    try {
      for (let polls = 0; !libc.pidfdHasEnded(pidfd); polls += 1) {
        if (polls % 1000 === 0) await new Promise(setImmediate);
      }
      // Signals that arrived during the last polls are counted now.
      await new Promise(setImmediate);
    } finally {
      closeSync(pidfd);
      process.off('SIGWINCH', count);
    }
    expect(signals).toBeGreaterThan(0);
    // Node loses signals when many arrive, possibly also the one of this exit, so its event may never come.
    expect(['Z', undefined]).toContain(readProcessState(sender.pid ?? 0)?.state);
  });

  test('an exited process cannot be opened', async () => {
    const child = spawn('true', { stdio: 'ignore' });
    await once(child, 'exit');
    expect(() => libc.pidfdOpen(child.pid ?? 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
  });
});

describe('rename', () => {
  test('two files are swapped atomically', () => {
    const [left, right] = twoFiles();
    libc.renameExchange({ folder: WORKING_FOLDER, name: left }, { folder: WORKING_FOLDER, name: right });
    expect([readFileSync(left, 'utf8'), readFileSync(right, 'utf8')]).toEqual(['right', 'left']);
  });

  test('names are relative to an open folder', () => {
    const [left] = twoFiles();
    const descriptor = openSync(folder, 'r');
    try {
      libc.renameNoReplace({ folder: descriptor, name: 'left' }, { folder: descriptor, name: 'moved ü' });
    } finally {
      closeSync(descriptor);
    }
    expect(readFileSync(join(folder, 'moved ü'), 'utf8')).toBe('left');
    expect(() => readFileSync(left)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  test('renameNoReplace does not replace a file', () => {
    const [left, right] = twoFiles();
    expect(() => {
      libc.renameNoReplace({ folder: WORKING_FOLDER, name: left }, { folder: WORKING_FOLDER, name: right });
    }).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect([readFileSync(left, 'utf8'), readFileSync(right, 'utf8')]).toEqual(['left', 'right']);
  });

  test('a name with a NUL byte is rejected', () => {
    const [left] = twoFiles();
    expect(() => {
      libc.renameNoReplace(
        { folder: WORKING_FOLDER, name: left },
        { folder: WORKING_FOLDER, name: `${left}2\0x` },
      );
    }).toThrow('A path cannot contain a NUL byte.');
  });
});

describe('lock', () => {
  test('one descriptor holds it until it is closed or unlocked', () => {
    const [path] = twoFiles();
    const first = openSync(path, 'r');
    const second = openSync(path, 'r');
    expect(libc.tryLock(first)).toBe(true);
    expect(libc.tryLock(second)).toBe(false);
    libc.unlock(first);
    expect(libc.tryLock(second)).toBe(true);
    closeSync(second);
    expect(libc.tryLock(first)).toBe(true);
    closeSync(first);
  });
});

function twoFiles(): [string, string] {
  const [left, right] = [join(folder, 'left'), join(folder, 'right')];
  writeFileSync(left, 'left');
  writeFileSync(right, 'right');
  return [left, right];
}
