import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkTree, runIn, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { findGitAccount } from './git-account.ts';
import { runGit } from './git.ts';

const trees: WorkTree[] = [];
const make = (files: Record<string, string>): WorkTree => {
  const tree = createWorkTree(files);
  trees.push(tree);
  return tree;
};
afterEach(() => trees.splice(0).forEach((tree) => tree.dispose()));

/** Makes a repository fetch a missing object with a command of its configuration, when git reads its ignore rules. */
function fetchMissing(tree: WorkTree, command: string): void {
  const blob = tree.git('rev-parse', ':.gitignore').trim();
  rmSync(join(tree.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  rmSync(join(tree.root, '.gitignore'));
  tree.git('update-index', '--skip-worktree', '.gitignore');
  const settings: Record<string, string> = {
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
    'remote.origin.url': `ext::sh -c ${command.replaceAll(' ', '% ')}`,
    'protocol.ext.allow': 'always',
    'protocol.allow': 'always',
  };
  for (const [name, value] of Object.entries(settings)) tree.git('config', name, value);
}

/** Starts a command from the configuration of a repository, in each of these ways. */
const HOSTILE: Readonly<Record<string, (tree: WorkTree, command: string) => void>> = {
  'a missing object of a partial clone': fetchMissing,
  'a file system monitor': (tree, command) => void tree.git('config', 'core.fsmonitor', command),
  'a hook': (tree, command) => {
    writeFileSync(join(tree.root, '.git/hooks/post-index-change'), `#!/bin/sh\n${command}\n`, {
      mode: 0o755,
    });
  },
  'a filter': (tree, command) => {
    tree.write('.gitattributes', '* filter=evil\n');
    tree.git('config', 'filter.evil.clean', command);
    tree.git('config', 'filter.evil.process', command);
  },
};

describe('the configuration of a hostile repository', () => {
  it.each(Object.entries(HOSTILE))('starts no program with %s', async (_, prepare) => {
    const tree = make({ 'a.txt': 'a\n', '.gitignore': 'x\n' });
    const marker = join(tree.context.accountHome, 'started');
    prepare(tree, `touch ${marker}`);
    tree.write('a.txt', 'changed\n');
    tree.write('new/file', 'new\n');
    const snapshot = await takeSnapshot(tree.context, tree.root).catch(() => undefined);
    if (snapshot !== undefined) {
      const workspace = await tree.open('hostile', { mode: 'copy' });
      await runIn(workspace, 'echo x > y');
      await workspace.diff();
      await workspace.discard();
    }
    expect(existsSync(marker)).toBe(false);
  });

  it.each(['.gitignore', '.git/packed-refs', '.git/included', '.git/excluded'])(
    'stops git when it waits for the named pipe %s',
    async (name) => {
      const tree = make({ 'a.txt': '' });
      tree.git(
        'config',
        name.endsWith('included') ? 'include.path' : 'core.excludesFile',
        join(tree.root, name),
      );
      rmSync(join(tree.root, name), { force: true });
      execFileSync('mkfifo', [join(tree.root, name)]);
      await expect(takeSnapshot(tree.context, tree.root)).rejects.toMatchObject({
        code: 'E_IO',
        message: expect.stringContaining('waits for a named pipe'),
      });
    },
  );

  it('does not make git allocate what an object claims', async () => {
    const tree = make({ 'a.txt': '' });
    const id = 'ab'.repeat(20);
    mkdirSync(join(tree.root, '.git/objects/ab'), { recursive: true });
    writeFileSync(join(tree.root, '.git/objects/ab', id.slice(2)), deflateSync(`tree ${100 * 1024 ** 3}\0`));
    await expect(runGit(tree.context, ['ls-tree', id], { cwd: tree.root })).rejects.toMatchObject({
      code: 'E_IO',
      message: expect.stringContaining('over limit'),
    });
  });

  it('would start the program of a missing object with plain git', () => {
    const tree = make({ 'a.txt': 'a\n', '.gitignore': 'x\n' });
    const marker = join(tree.context.accountHome, 'started');
    fetchMissing(tree, `touch ${marker}`);
    expect(() => tree.git('check-ignore', '-q', 'x')).toThrow();
    expect(existsSync(marker)).toBe(true);
  });
});

describe.runIf(process.getuid?.() === 0)('root on a tree of another account', () => {
  const ACCOUNT = 42_425;

  it('runs git as the owner, who cannot read the files of root', async () => {
    const folder = mkdtempSync('/var/tmp/deed-owner-');
    try {
      execFileSync('git', ['init', '-q'], { cwd: folder });
      giveAway(folder, ACCOUNT);
      const { output } = await runGit({ env: process.env }, ['rev-parse', '--is-inside-work-tree'], {
        cwd: folder,
      });
      expect(output.toString()).toBe('true\n');
      const alias = ['-c', 'alias.who=!id -u', 'who'];
      expect((await runGit({ env: process.env }, alias, { cwd: folder })).output.toString()).toBe(
        `${ACCOUNT}\n`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('accepts only that tree if it cannot change its account', () => {
    expect(findGitAccount('/', '', 1000)).toEqual({ argv: [], env: {}, safe: [] });
  });
});

function giveAway(path: string, uid: number): void {
  if (lstatSync(path).isSymbolicLink()) return lchownSync(path, uid, uid);
  chownSync(path, uid, uid);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name), uid);
}
