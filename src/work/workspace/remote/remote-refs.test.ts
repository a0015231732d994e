import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkTree, type WorkTree } from '../../../../test/fixtures/work-tree.ts';
import { listRefs, pushArguments, swapRefs, type RemotePlace } from './remote-refs.ts';
import { writeDocumentCommit } from './document-commit.ts';

describe('refs of a remote', () => {
  let tree: WorkTree;
  let place: RemotePlace;
  beforeEach(() => {
    tree = createWorkTree();
    const url = join(tree.root, '../remote.git');
    execFileSync('git', ['clone', '-q', '--bare', tree.root, url]);
    place = { root: tree.root, url };
  });
  afterEach(() => tree.dispose());
  const commit = (text: string): Promise<string> =>
    writeDocumentCommit(tree.context, tree.root, {
      text,
      parents: [],
      message: 'm',
      author: { name: 'w', email: 'w@example.org' },
      atMs: 1_800_000_000_000,
    });
  const tipOf = async (ref: string): Promise<string | undefined> =>
    (await listRefs(tree.context, place, [ref])).get(ref);
  const ITEM = 'refs/deed/items/job/a';

  it('move only from where the caller expects them', async () => {
    const [one, two, three] = await Promise.all(['1', '2', '3'].map(commit));
    expect(await swapRefs(tree.context, place, [{ ref: ITEM, from: null, to: one as string }])).toBe(true);
    expect(await swapRefs(tree.context, place, [{ ref: ITEM, from: null, to: two as string }])).toBe(false);
    expect(
      await swapRefs(tree.context, place, [{ ref: ITEM, from: one as string, to: three as string }]),
    ).toBe(true);
    expect(await swapRefs(tree.context, place, [{ ref: ITEM, from: one as string, to: two as string }])).toBe(
      false,
    );
    expect(await tipOf(ITEM)).toBe(three);
  });

  it('move together or not at all', async () => {
    const [one, two] = await Promise.all(['1', '2'].map(commit));
    await swapRefs(tree.context, place, [{ ref: ITEM, from: null, to: one as string }]);
    const main = (await tipOf('refs/heads/main')) ?? (await tipOf('refs/heads/master')) ?? '';
    const branch = (await listRefs(tree.context, place, ['refs/heads/*'])).keys().next().value as string;
    const moves = [
      { ref: branch, from: main, to: two as string },
      { ref: ITEM, from: two as string, to: two as string },
    ];
    expect(await swapRefs(tree.context, place, moves)).toBe(false);
    expect(await tipOf(branch)).toBe(main);
  });

  it('move a ref of the clone with them, if they move', async () => {
    const [one, two] = await Promise.all(['1', '2'].map(commit));
    const own = 'refs/deed/known/a';
    const move = { ref: ITEM, from: null, to: one as string, trackedBy: own };
    expect(await swapRefs(tree.context, place, [move])).toBe(true);
    expect(tree.git('rev-parse', own).trim()).toBe(one);
    expect(await swapRefs(tree.context, place, [{ ...move, to: two as string }])).toBe(false);
    expect(tree.git('rev-parse', own).trim()).toBe(one);
    // Also backwards, as a branch that people reset.
    expect(await swapRefs(tree.context, place, [{ ...move, from: one as string, to: two as string }])).toBe(
      true,
    );
    expect(tree.git('rev-parse', own).trim()).toBe(two);
  });

  it('move in this remote, even if settings of the clone name another one', async () => {
    const other = join(tree.root, '../other.git');
    execFileSync('git', ['clone', '-q', '--bare', tree.root, other]);
    const [one, two] = await Promise.all(['1', '2'].map(commit));
    const move = { ref: ITEM, from: null, to: one as string };
    const recorded = recordGit(tree);
    expect(await swapRefs(recorded.context, place, [move])).toBe(true);
    const used = recorded.arguments().match(/(?<=remote\.)\S+(?=\.url=)/gu) ?? [];
    expect(used).toHaveLength(1);
    tree.git('config', `remote.${used[0]}.pushurl`, other);
    expect(await swapRefs(tree.context, place, [{ ...move, from: one as string, to: two as string }])).toBe(
      true,
    );
    expect(await tipOf(ITEM)).toBe(two);
    expect(await listRefs(tree.context, { ...place, url: other }, [ITEM])).toEqual(new Map());
  });

  it('are moved by one of many processes', async () => {
    const commits = await Promise.all(Array.from({ length: 6 }, (_, index) => commit(`c${index}`)));
    const won = await Promise.all(
      commits.map((to) => swapRefs(tree.context, place, [{ ref: ITEM, from: null, to }])),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await tipOf(ITEM)).toBe(commits[won.indexOf(true)]);
  });

  it('are reported as unknown if the remote is unreachable', async () => {
    const gone = { ...place, url: join(tree.root, '../gone.git') };
    const to = await commit('1');
    await expect(swapRefs(tree.context, gone, [{ ref: ITEM, from: null, to }])).rejects.toMatchObject({
      code: 'E_NETWORK',
    });
  });

  it('are never pushed with a plus, which would make git ignore what the caller expects', async () => {
    const to = 'a'.repeat(40);
    const args = pushArguments('u', [{ ref: ITEM, from: null, to }]);
    expect(args.filter((arg) => arg.startsWith('+'))).toEqual([]);
    expect(args).toContain('--atomic');
    expect(args).toContain(`--force-with-lease=${ITEM}:`);
    expect(() => pushArguments('u', [{ ref: ITEM, from: null, to: `+${to}` }])).toThrow(
      'not the id of a commit',
    );
    // What the leases are worth without it, with the git of this machine.
    const [one, two] = await Promise.all(['1', '2'].map(commit));
    await swapRefs(tree.context, place, [{ ref: ITEM, from: null, to: one as string }]);
    tree.git('push', '-q', `--force-with-lease=${ITEM}:${'0'.repeat(40)}`, place.url, `+${two}:${ITEM}`);
    expect(await tipOf(ITEM), 'git ignored the lease').toBe(two);
  });
});

/** A context whose git records its arguments. */
function recordGit({ root, context }: WorkTree): {
  readonly context: WorkTree['context'];
  readonly arguments: () => string;
} {
  const [folder, log] = [join(root, '../bin'), join(root, '../arguments')];
  mkdirSync(folder);
  const script = `#!/bin/sh\necho "$@" >> '${log}'\nPATH='${context.env.PATH}' exec git "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  const env = { ...context.env, PATH: `${folder}:${context.env.PATH}` };
  return { context: { ...context, env }, arguments: () => readFileSync(log, 'utf8') };
}
