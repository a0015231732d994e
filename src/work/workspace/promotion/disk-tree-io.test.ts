import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLibc } from '../../../system/libc/libc.ts';
import { createDiskTreeIo } from './disk-tree-io.ts';

const ACCOUNT = 42_426;
const GROUP = 42_427;
const libc = await openLibc();

describe.runIf(process.getuid?.() === 0)('root in a folder of another account', () => {
  let folder = '';
  let tree = '';
  beforeEach(() => {
    folder = mkdtempSync('/var/tmp/deed-io-');
    chmodSync(folder, 0o755);
    tree = join(folder, 'tree');
    mkdirSync(tree);
    chownSync(tree, ACCOUNT, GROUP);
    writeFileSync(join(folder, 'secret'), 'secret', { mode: 0o600 });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('creates entries that belong to that account', () => {
    const io = createDiskTreeIo(libc);
    const root = io.openRoot(tree);
    const owner = { uid: ACCOUNT, gid: GROUP };
    io.createFile(root, 'file', [Buffer.from('x')], 0o640, owner);
    io.createFolder(root, 'folder', 0o750, owner);
    io.createLink(root, 'link', 'file', owner);
    io.close(root);
    const found = ['file', 'folder', 'link'].map((name) => {
      const { uid, gid } = lstatSync(join(tree, name));
      return { uid, gid };
    });
    expect(found).toEqual([owner, owner, owner]);
    expect(statSync(join(tree, 'folder')).mode & 0o777).toBe(0o750);
    expect(lstatSync(join(folder, 'secret')).uid).toBe(0);
  });

  it('reads and writes only what that account can', () => {
    const io = createDiskTreeIo(libc);
    mkdirSync(join(tree, 'of-root'), { mode: 0o700 });
    writeFileSync(join(tree, 'of-root-file'), 'key', { mode: 0o600 });
    const root = io.openRoot(tree);
    const denied = expect.objectContaining({ code: 'EACCES' });
    expect(() => io.openFolder(root, 'of-root')).toThrow(denied);
    expect(() => [...io.read(root, 'of-root-file')]).toThrow(denied);
    io.close(root);
    chmodSync(tree, 0o555);
    const locked = io.openRoot(tree);
    expect(() => io.createFile(locked, 'new', [], 0o644, undefined)).toThrow(denied);
    io.close(locked);
  });

  it('never changes a file outside, while the owner exchanges folders with links', async () => {
    const attack = `cd ${tree}; while :; do rm -rf new; ln -s ../secret new; rm -f new; done`;
    const attacker = spawn(
      '/usr/bin/setpriv',
      [`--reuid=${ACCOUNT}`, `--regid=${GROUP}`, '--clear-groups', 'sh', '-c', attack],
      {
        stdio: 'ignore',
      },
    );
    await once(attacker, 'spawn');
    try {
      const io = createDiskTreeIo(libc);
      const root = io.openRoot(tree);
      const before = lstatSync(join(folder, 'secret'));
      for (const end = Date.now() + 500; Date.now() < end;) {
        try {
          io.createFolder(root, 'new', 0o777, { uid: ACCOUNT, gid: GROUP });
        } catch {
          // The owner won this race; the folder is a link or gone.
        }
      }
      io.close(root);
      const { uid, gid, mode } = lstatSync(join(folder, 'secret'));
      expect({ uid, gid, mode }).toEqual({ uid: before.uid, gid: before.gid, mode: before.mode });
    } finally {
      attacker.kill('SIGKILL');
      await once(attacker, 'exit');
    }
  });
});
