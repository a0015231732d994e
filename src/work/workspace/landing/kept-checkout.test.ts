import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../test/fixtures/fuzz.ts';
import { LONG } from '../../../../test/fixtures/start-node.ts';
import { createWorkTree, readTree, type WorkTree } from '../../../../test/fixtures/work-tree.ts';
import { resolveTree } from '../resolve-tree.ts';
import { takeTreeSnapshot } from '../take-snapshot.ts';
import type { Tree } from '../tree.ts';
import { releaseCheckout, removeKept, startAt } from './kept-checkout.ts';
import { openCheckout, removeCheckout } from './open-checkout.ts';

const ROUNDS = LONG ? 300 : 3;

let work: WorkTree;
let userTree: Tree;
let jobs = 0;
beforeEach(async () => {
  work = createWorkTree({ 'a.txt': 'one\n', 'b/c.txt': 'two\n', '.gitignore': '*.env\nlib/\n' });
  userTree = await resolveTree(work.context, work.root);
});
afterEach(() => work.dispose());

const commit = (): string => {
  work.git('add', '-A');
  work.git('commit', '-qm', 'next', '--allow-empty');
  return work.git('rev-parse', 'HEAD').trim();
};

/** Opens the checkout of a new job at a commit, and returns its files. */
async function open(base: string): Promise<{ readonly jobId: string; readonly tree: Tree }> {
  const jobId = `job_${(jobs += 1)}`;
  return {
    jobId,
    tree: await openCheckout(work.context, {
      jobId,
      userTree,
      branch: 'x',
      start: startAt(base),
    }),
  };
}

/** Opens a checkout and keeps it. */
async function keep(base: string): Promise<string> {
  const { jobId, tree } = await open(base);
  const { snapshot } = await takeTreeSnapshot(work.context, tree);
  releaseCheckout(work.context, { jobId, userTree, state: snapshot.hash });
  return keptRoot();
}

const folder = (): string => join(work.context.folder, 'checkouts-kept', userTree.id);
const keptRoot = (): string => join(folder(), readdirSync(folder())[0] ?? '', 'tree');

describe('a kept checkout', () => {
  it('is used by the next job, which writes only what differs', async () => {
    const first = commit();
    const kept = await keep(first);
    utimesSync(join(kept, 'a.txt'), 1, 1);
    // The time is a part of what is compared, so the content is read once more, and is the same.
    work.write('b/c.txt', 'three\n');
    const { tree } = await open(commit());
    expect(readFileSync(join(tree.root, 'b/c.txt'), 'utf8')).toBe('three\n');
    expect(existsSync(kept)).toBe(false);
    expect(statSync(join(tree.root, 'a.txt')).mtimeMs).toBe(1000);
  });

  it.each<[string, (root: string) => void]>([
    ['a file was changed', (root) => writeFileSync(join(root, 'a.txt'), 'two\n')],
    ['a file was added', (root) => writeFileSync(join(root, 'b/new.txt'), '')],
    ['a file was removed', (root) => rmSync(join(root, 'b/c.txt'))],
    ['a file became executable', (root) => chmodSync(join(root, 'a.txt'), 0o755)],
    [
      'a file became a link',
      (root) => (rmSync(join(root, 'a.txt')), symlinkSync('b/c.txt', join(root, 'a.txt'))),
    ],
    ['a folder was added', (root) => mkdirSync(join(root, 'empty'))],
    ['a repository was added', (root) => mkdirSync(join(root, '.git'))],
    ['its note is damaged', (root) => writeFileSync(join(root, '../kept.json'), '{')],
    ['its note is missing', (root) => rmSync(join(root, '../kept.json'))],
    ['its folder is empty', (root) => rmSync(root, { recursive: true })],
  ])('is not used if %s', async (_, change) => {
    const base = commit();
    change(await keep(base));
    const { tree } = await open(base);
    const clean = await open(base);
    expect(readTree(tree.root)).toEqual(readTree(clean.tree.root));
  });

  it('is not used after a start of the machine, because files may not have been on disk', async () => {
    const base = commit();
    const kept = await keep(base);
    const note = join(kept, '../kept.json');
    writeFileSync(note, readFileSync(note, 'utf8').replace(/"boot":"[^"]*"/u, '"boot":"earlier"'));
    utimesSync(join(kept, 'a.txt'), 1, 1);
    const { tree } = await open(base);
    expect(statSync(join(tree.root, 'a.txt')).mtimeMs).not.toBe(1000);
  });

  it('has the ignored files of the tree as they are now', async () => {
    work.write('one.env', 'first');
    const base = commit();
    await keep(base);
    work.write('one.env', 'second');
    expect(readFileSync(join((await open(base)).tree.root, 'one.env'), 'utf8')).toBe('second');
    await keep(base);
    rmSync(join(work.root, 'one.env'));
    expect(existsSync(join((await open(base)).tree.root, 'one.env'))).toBe(false);
  });

  it('is taken by one of several jobs, and not by one on another tree', async () => {
    const base = commit();
    await keep(base);
    const roots = (await Promise.all([open(base), open(base), open(base)])).map(({ tree }) => tree.root);
    expect(new Set(roots).size).toBe(3);
    for (const root of roots) expect(readTree(root)).toEqual(readTree(roots[0] ?? ''));
    expect(readdirSync(folder())).toEqual([]);
  });

  it('is kept only if its files are those of a known commit, and not without end', async () => {
    const base = commit();
    const { jobId, tree } = await open(base);
    rmSync(join(tree.root, '../tip'));
    releaseCheckout(work.context, { jobId, userTree, state: 'unknown' });
    expect(existsSync(folder())).toBe(false);
    expect(existsSync(tree.root)).toBe(false);
    const opened = await Promise.all(Array.from({ length: 12 }, () => open(base)));
    for (const each of opened) releaseCheckout(work.context, { jobId: each.jobId, userTree, state: 'x' });
    expect(readdirSync(folder())).toHaveLength(8);
    expect(opened.filter((each) => existsSync(each.tree.root))).toEqual([]);
    removeKept(work.context);
    expect(existsSync(folder())).toBe(false);
  });

  it(`has the files of any commit after ${ROUNDS} random ones`, async () => {
    const random = createRandom(7);
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
    const isLink = (path: string): boolean => {
      try {
        return lstatSync(path).isSymbolicLink();
      } catch {
        return false;
      }
    };
    const foldersOf = (name: string): string[] =>
      name
        .split('/')
        .slice(0, -1)
        .map((_, depth, parts) => parts.slice(0, depth + 1).join('/'));
    const names = ['a', 'b', 'a/x', 'b/x', 'b/y/z', 'c', 'c/d', 'ü ', 'line\nbreak'];
    const change = (): void => {
      const name = pick(names);
      // Nothing is changed through a link: it may lead out of the tree.
      if (foldersOf(name).some((folder) => isLink(join(work.root, folder)))) return;
      const path = join(work.root, name);
      rmSync(path, { recursive: true, force: true });
      const kind = random(5);
      if (kind === 0) return;
      try {
        mkdirSync(join(path, '..'), { recursive: true });
        if (kind === 1) symlinkSync(pick(['a', 'c/d', '../..', '/etc']), path);
        else writeFileSync(path, 'x'.repeat(random(40)), { mode: kind === 2 ? 0o755 : 0o644 });
      } catch {
        // A file or a link is in the place of a folder.
      }
    };
    const inodes = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let count = random(4); count >= 0; count -= 1) change();
      const base = commit();
      const kept = await open(base);
      inodes.add(statSync(join(kept.tree.root, '.gitignore')).ino);
      removeKept(work.context);
      const clean = await open(base);
      expect(readTree(kept.tree.root)).toEqual(readTree(clean.tree.root));
      const [{ snapshot }, other] = [
        await takeTreeSnapshot(work.context, kept.tree),
        await takeTreeSnapshot(work.context, clean.tree),
      ];
      expect(snapshot.hash).toBe(other.snapshot.hash);
      removeCheckout(work.context, clean.jobId);
      releaseCheckout(work.context, {
        jobId: kept.jobId,
        userTree,
        state: snapshot.hash,
      });
    }
    // All jobs used one checkout.
    expect(inodes.size).toBe(1);
  });
});
