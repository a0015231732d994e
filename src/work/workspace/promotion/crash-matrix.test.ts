import { describe, expect, it } from 'vitest';
import {
  createMemoryDisk,
  stopAfter,
  type MemoryDisk,
  type MemoryDiskOptions,
} from '../../../../test/fixtures/memory-tree-io.ts';
import { LONG } from '../../../../test/fixtures/start-node.ts';
import { blake3Hex } from '../../../system/blake3.ts';
import type { TreeChange, TreeEntry } from '../workspace.ts';
import { listOpenPromotions, recoverPromotion } from './recover-promotion.ts';
import { runPromotion, type PromotionRequest } from './run-promotion.ts';
import type { TreeIo } from './tree-io.ts';

const file = (content: string, mode = 0o644): TreeEntry => ({
  type: 'file',
  mode,
  size: content.length,
  hash: blake3Hex(content),
});
const link = (target: string): TreeEntry => ({
  type: 'symlink',
  mode: 0o777,
  size: target.length,
  hash: blake3Hex(target),
  link: target,
});
const folder: TreeEntry = { type: 'dir', mode: 0o755, size: 0, hash: '' };

const BEFORE: Readonly<Record<string, string>> = {
  'changed.txt': 'old',
  'mode.sh': 'script',
  'gone.txt': 'gone',
  'keep.txt': 'kept',
  'gone/deep/a': 'a',
  'gone/deep/b': 'b',
  'emptied/last': 'last',
  becomes: 'a file',
  'was-folder/x': 'x',
  'was-folder/y/z': 'z',
  'sub/other': 'old other',
};
const CONTENT: Readonly<Record<string, string>> = {
  'changed.txt': 'new',
  'mode.sh': 'script',
  'new.txt': 'brand new',
  'new/deep/n': 'n',
  'new/link': '../keep.txt',
  'becomes/inner': 'inside',
  'was-folder': 'now a file',
  'sub/other': 'new other',
};
const CHANGES: readonly TreeChange[] = [
  { path: 'becomes', action: 'delete', type: 'file', before: file('a file') },
  { path: 'becomes/inner', action: 'create', type: 'file', after: file('inside') },
  { path: 'changed.txt', action: 'modify', type: 'file', before: file('old'), after: file('new') },
  { path: 'emptied', action: 'modify', type: 'dir', before: folder, after: folder },
  { path: 'emptied/last', action: 'delete', type: 'file', before: file('last') },
  { path: 'gone.txt', action: 'delete', type: 'file', before: file('gone') },
  { path: 'gone/deep/a', action: 'delete', type: 'file', before: file('a') },
  { path: 'gone/deep/b', action: 'delete', type: 'file', before: file('b') },
  { path: 'mode.sh', action: 'modify', type: 'file', before: file('script'), after: file('script', 0o755) },
  { path: 'new.txt', action: 'create', type: 'file', after: file('brand new') },
  { path: 'new/deep/n', action: 'create', type: 'file', after: file('n') },
  { path: 'new/empty', action: 'create', type: 'dir', after: folder },
  { path: 'new/link', action: 'create', type: 'symlink', after: link('../keep.txt') },
  { path: 'sub/other', action: 'modify', type: 'file', before: file('old other'), after: file('new other') },
  { path: 'was-folder', action: 'create', type: 'file', after: file('now a file') },
  { path: 'was-folder/x', action: 'delete', type: 'file', before: file('x') },
  { path: 'was-folder/y/z', action: 'delete', type: 'file', before: file('z') },
];
const AFTER: Readonly<Record<string, string>> = {
  'becomes/': '',
  'becomes/inner': 'file 644 inside',
  'changed.txt': 'file 644 new',
  'emptied/': '',
  'keep.txt': 'file 644 kept',
  'mode.sh': 'file 755 script',
  'new.txt': 'file 644 brand new',
  'new/': '',
  'new/deep/': '',
  'new/deep/n': 'file 644 n',
  'new/empty/': '',
  'new/link': 'symlink 777 ../keep.txt',
  'sub/': '',
  'sub/other': 'file 644 new other',
  'was-folder': 'file 644 now a file',
};

function makeDisk(options: MemoryDiskOptions = {}): MemoryDisk {
  const disk = createMemoryDisk(options);
  disk.write('journals/', '');
  for (const [path, content] of Object.entries(BEFORE)) disk.write(`tree/${path}`, content);
  return disk;
}

function request(): PromotionRequest {
  return {
    runId: 'r',
    root: 'tree',
    logs: 'journals',
    kind: 'promotion',
    drift: [],
    changes: CHANGES,
    source: (path) => [Buffer.from(CONTENT[path] ?? '')],
    tag: 'tag',
    keepOwner: false,
    store: () => undefined,
  };
}

function recoverAll(io: TreeIo): string[] {
  return listOpenPromotions(io, 'journals').map(
    (runId) => recoverPromotion(io, 'journals', runId)?.outcome ?? 'none',
  );
}

const WAYS = [
  { canExchange: true, manyDevices: false },
  { canExchange: false, manyDevices: false },
  { canExchange: true, manyDevices: true },
];

function stepsOf(options: MemoryDiskOptions = {}): number {
  const counted = stopAfter(makeDisk(options).io, Number.POSITIVE_INFINITY);
  runPromotion(counted.io, request());
  return counted.taken();
}

describe.each(WAYS)('a promotion with %o', (way) => {
  const steps = stepsOf(way);
  const untouched = makeDisk(way).read('tree');
  const points = Array.from({ length: steps + 1 }, (_, index) => index);

  it('applies all changes if nothing interrupts it', () => {
    const disk = makeDisk(way);
    expect(runPromotion(disk.io, request())).toBe(way.canExchange ? 'exchange' : 'rename-aside');
    expect(disk.read('tree')).toEqual(AFTER);
    expect(recoverAll(disk.io)).toEqual([]);
  });

  it(`is complete or absent after a kill, and after a power failure, at each of ${steps} steps`, () => {
    for (const at of points) {
      for (const power of [false, true]) {
        const disk = makeDisk(way);
        attempt(() => runPromotion(stopAfter(disk.io, at).io, request()));
        if (power) disk.losePower();
        const committed = wasCommitted(disk);
        const outcomes = recoverAll(disk.io);
        expect({ at, power, tree: disk.read('tree') }).toEqual({
          at,
          power,
          tree: committed ? AFTER : untouched,
        });
        if (outcomes.length > 0) expect(outcomes).toEqual([committed ? 'finished' : 'undone']);
        expect(recoverAll(disk.io)).toEqual([]);
      }
    }
  });

  it('survives a kill or a power failure during recovery too', () => {
    for (const at of points.filter((point) => LONG || point % 12 === 0)) {
      const probe = makeDisk(way);
      attempt(() => runPromotion(stopAfter(probe.io, at).io, request()));
      const committed = wasCommitted(probe);
      const counted = stopAfter(probe.io, Number.POSITIVE_INFINITY);
      recoverAll(counted.io);
      for (let again = 0; again <= counted.taken(); again += 1) {
        for (const power of [false, true]) {
          const disk = makeDisk(way);
          attempt(() => runPromotion(stopAfter(disk.io, at).io, request()));
          attempt(() => recoverAll(stopAfter(disk.io, again).io));
          if (power) disk.losePower();
          const late = wasCommitted(disk);
          recoverAll(disk.io);
          const found = disk.read('tree');
          const expected = (power ? late : committed) ? AFTER : untouched;
          // Comparing strings first, because a deep comparison of thousands of trees is slow.
          if (JSON.stringify(found) !== JSON.stringify(expected))
            expect({ at, again, power, tree: found }).toEqual({ at, again, power, tree: expected });
        }
      }
    }
  }, 300_000);

  it('is undone completely when an operation fails', () => {
    for (const at of points) {
      const disk = makeDisk(way);
      let taken = 0;
      const flaky: TreeIo = {
        ...disk.io,
        createFile: (...args) => {
          if ((taken += 1) === at) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          disk.io.createFile(...args);
        },
        exchange: (...args) => {
          if ((taken += 1) === at) throw Object.assign(new Error('broken'), { code: 'EIO' });
          disk.io.exchange(...args);
        },
      };
      const error = attempt(() => runPromotion(flaky, request()));
      expect(disk.read('tree')).toEqual(error === undefined ? AFTER : untouched);
      expect(recoverAll(disk.io)).toEqual([]);
    }
  });
});

describe('a concurrent change by the user', () => {
  it('before the promotion is a conflict with its path, and nothing is written', () => {
    const disk = makeDisk();
    disk.write('tree/changed.txt', 'mine');
    const before = disk.read('tree');
    expect(attempt(() => runPromotion(disk.io, request()))).toMatchObject({
      code: 'E_CONFLICT',
      details: { paths: ['changed.txt'] },
    });
    expect(disk.read('tree')).toEqual(before);
  });

  it('of any target at any step is never lost', () => {
    const steps = stepsOf();
    for (let at = 0; at <= steps; at += 1) {
      for (const target of ['changed.txt', 'gone.txt', 'new.txt', 'becomes', 'was-folder']) {
        const disk = makeDisk();
        let changed = false;
        const io = changeAt(disk, at, () => {
          disk.write(`tree/${target}`, 'mine');
          changed = true;
        });
        const error = attempt(() => runPromotion(io, request()));
        if (!changed) continue;
        const tree = disk.read('tree');
        expect({ at, target, mine: tree[target] }).toEqual({ at, target, mine: 'file 644 mine' });
        if (error !== undefined) {
          expect(error).toMatchObject({ code: 'E_CONFLICT' });
          const { [target]: _, ...others } = untouchedWithout(target);
          expect(tree).toMatchObject(others);
        }
        expect(Object.keys(tree).filter((path) => path.includes('.deed-'))).toEqual([]);
      }
    }
  });
});

/** The expected rest of the tree when the user created a file at this path. */
function untouchedWithout(target: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(makeDisk().read('tree')).filter(([path]) => !path.startsWith(`${target}/`)),
  );
}

function changeAt(disk: MemoryDisk, at: number, change: () => void): TreeIo {
  let taken = 0;
  const names = ['createFile', 'createFolder', 'exchange', 'rename', 'appendFile', 'sync', 'unlink'] as const;
  const wrapped = names.map((name) => {
    const call = disk.io[name] as (...args: never[]) => void;
    return [
      name,
      (...args: never[]): void => {
        if (taken === at) change();
        taken += 1;
        call(...args);
      },
    ] as const;
  });
  return { ...disk.io, ...(Object.fromEntries(wrapped) as Partial<TreeIo>) };
}

function wasCommitted(disk: MemoryDisk): boolean {
  return Object.entries(disk.read('journals')).some(
    ([name, content]) => name.endsWith('.done') || content.endsWith('\ncommitted\n'),
  );
}

function attempt(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
