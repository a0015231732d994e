import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkTree, type WorkTree } from '../../../../test/fixtures/work-tree.ts';
import { fetchNamedRefs } from './fetch-named-refs.ts';
import type { RemotePlace } from './remote-refs.ts';

let tree: WorkTree;
let place: RemotePlace;
beforeEach(() => {
  tree = createWorkTree();
  const folder = join(tree.root, '..');
  execFileSync('git', ['clone', '-q', '--bare', tree.root, join(folder, 'remote.git')]);
  execFileSync('git', ['clone', '-q', tree.root, join(folder, 'clone')]);
  place = { root: join(folder, 'clone'), url: join(folder, 'remote.git') };
});
afterEach(() => tree.dispose());

function push(ref: string, text: string): string {
  tree.write('a.txt', text);
  tree.git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qam', text);
  const commit = tree.git('rev-parse', 'HEAD').trim();
  tree.git('push', '-q', place.url, `HEAD:${ref}`);
  return commit;
}

const inClone = (...argv: string[]): string =>
  execFileSync('git', argv, { cwd: place.root, encoding: 'utf8' }).trim();

it('returns the commits of refs and has their objects, while no ref of the clone moves', async () => {
  const branch = push("refs/heads/it's/main", 'branch\n');
  const item = push('refs/deed/items/job_1/a%2Eb', 'item\n');
  const before = inClone('for-each-ref');
  const fetched = await fetchNamedRefs(tree.context, place, [
    'refs/deed/items/job_1/a%2Eb',
    "refs/heads/it's/main",
  ]);
  expect(fetched).toEqual(
    new Map([
      ['refs/deed/items/job_1/a%2Eb', item],
      ["refs/heads/it's/main", branch],
    ]),
  );
  expect(inClone('show', `${item}:a.txt`)).toBe('item');
  expect(inClone('for-each-ref')).toBe(before);
  expect(existsSync(join(place.root, '.git/FETCH_HEAD'))).toBe(false);
});

it('gets only what the clone does not have', async () => {
  for (let count = 0; count < 20; count += 1) push('refs/heads/long', `${count}\n`);
  inClone('fetch', '-q', place.url, 'refs/heads/long:refs/deed/known');
  inClone('config', 'fetch.unpackLimit', '1');
  const packed = (): number => Number(/in-pack: (\d+)/u.exec(inClone('count-objects', '-v'))?.[1]);
  const before = packed();
  push('refs/heads/long', 'new\n');
  await fetchNamedRefs(tree.context, place, ['refs/heads/long']);
  // A commit, a tree and a file, and what git adds to complete the pack.
  expect(packed() - before).toBeLessThan(8);
});

it('fetches of one clone at the same time do not mix', async () => {
  const refs = ['a', 'b', 'c', 'd'].map((name) => `refs/deed/items/job_1/${name}`);
  const commits = refs.map((ref) => push(ref, `${ref}\n`));
  const fetched = await Promise.all(refs.map((ref) => fetchNamedRefs(tree.context, place, [ref])));
  expect(fetched).toEqual(refs.map((ref, index) => new Map([[ref, commits[index]]])));
});

it('returns undefined if a ref is missing or the remote is unreachable, and leaves no folder', async () => {
  const ref = 'refs/deed/items/job_1/a';
  push(ref, 'item\n');
  // Other tests use the folder of all.
  const temporaryFolder = join(tree.root, '../temporary');
  mkdirSync(temporaryFolder);
  const context = { ...tree.context, temporaryFolder };
  expect(await fetchNamedRefs(context, place, [ref, 'refs/deed/items/job_1/b'])).toBeUndefined();
  expect(await fetchNamedRefs(context, { ...place, url: `${place.url}x` }, [ref])).toBeUndefined();
  expect(readdirSync(temporaryFolder)).toEqual([]);
});
