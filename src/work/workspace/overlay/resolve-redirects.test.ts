import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/fixtures/start-node.ts';
import { createWorkTree, readTree, runIn } from '../../../../test/fixtures/work-tree.ts';
import { listSandboxes } from '../../../../test/fixtures/workspace-modes.ts';
import { takeSnapshot } from '../take-snapshot.ts';
import { rollbackPromotion } from '../rollback-promotion.ts';

const isRoot = process.getuid?.() === 0;
const OVERLAYS = (await listSandboxes()).filter(({ mode }) => mode === 'overlay').slice(0, LONG ? 2 : 1);
const ACCOUNT = 42_428;

/** Renames of folders with rename(2), alone and together with other changes; the short suite makes the first ones. */
const RENAMES: readonly string[] = [
  'git mv d e && git mv e/deep e/deeper && git mv e f',
  'git mv d e && echo more >> e/one && rm e/two && echo own > e/three',
  'git mv d e',
  'git mv d/deep moved',
  'mkdir -p new/one && git mv d new/one/d',
  'git mv d e && mkdir d && echo other > d/one',
  'git mv d e && rm -r e/deep && mkdir e/deep && echo fresh > e/deep/fresh',
  'git mv d e && git mv e d && echo more >> d/one',
  'git mv d e && git mv other d && git mv e other',
  'git rm -rq d/deep && git mv d e',
];

describe.runIf(isRoot).each(OVERLAYS)(
  'a folder of the tree renamed in an overlay of $isolation',
  ({ isolation }) => {
    const tree = createWorkTree(
      {
        '.gitignore': 'ignored\n',
        'd/one': 'one\n',
        'd/two': 'two\n',
        'd/deep/er/file': 'deep\n',
        'other/one': 'another one\n',
      },
      { only: isolation },
    );
    afterAll(() => tree.dispose());
    let count = 0;
    beforeEach(() => {
      count += 1;
    });

    it.each(LONG ? RENAMES : RENAMES.slice(0, 2))(
      'by %s is promoted as the same commands change a plain copy, and rolled back',
      async (script) => {
        const model = join(dirname(tree.root), `model-${count}`);
        cpSync(tree.root, model, { recursive: true, verbatimSymlinks: true });
        execFileSync('sh', ['-ec', script], { cwd: model });
        const start = readTree(tree.root);
        const runId = `${isolation}-${count}`;
        const workspace = await tree.open(runId, { mode: 'overlay' });
        expect(await runIn(workspace, `set -e; ${script}`)).toMatchObject({ exitCode: 0, stderr: '' });
        // Tests and later commands see the same tree.
        for (const layer of ['run', 'tests'] as const)
          expect(
            (await runIn(workspace, 'find . -path ./.git -prune -o -type f -print | sort', { layer })).stdout,
          ).toBe(
            execFileSync('sh', ['-c', 'find . -path ./.git -prune -o -type f -print | sort'], {
              cwd: model,
              encoding: 'utf8',
            }),
          );
        const { changes } = await workspace.diff();
        const hash = await workspace.hashAfter(changes);
        await workspace.promote(changes);
        await workspace.discard();
        expect(readTree(tree.root)).toEqual(readTree(model));
        expect((await takeSnapshot(tree.context, tree.root)).hash).toBe(hash);
        await rollbackPromotion(tree.context, runId);
        expect(readTree(tree.root)).toEqual(start);
      },
    );

    it('belongs to the owner of the tree afterwards, if root works for another account', async () => {
      chmodSync(dirname(tree.root), 0o755);
      execFileSync('chown', ['-R', `${ACCOUNT}:${ACCOUNT}`, tree.root]);
      const workspace = await tree.open(`${isolation}-owner`, { mode: 'overlay' });
      // The account must get to its tree by path, as git does.
      expect(await runIn(workspace, 'git mv d e')).toMatchObject({ exitCode: 0 });
      await workspace.promote((await workspace.diff()).changes);
      await workspace.discard();
      const owners = ['e', 'e/one', 'e/deep/er/file'].map((path) => lstatSync(join(tree.root, path)).uid);
      expect(owners).toEqual([ACCOUNT, ACCOUNT, ACCOUNT]);
      await rollbackPromotion(tree.context, `${isolation}-owner`);
      execFileSync('chown', ['-R', '0:0', tree.root]);
    });

    it('with a change by its user meanwhile is a conflict', async () => {
      const workspace = await tree.open(`${isolation}-conflict`, { mode: 'overlay' });
      await runIn(workspace, 'git mv d e');
      const { changes } = await workspace.diff();
      tree.write('d/one', 'mine\n');
      try {
        await expect(workspace.promote(changes)).rejects.toMatchObject({
          code: 'E_CONFLICT',
          details: { paths: ['d/one'] },
        });
        expect(readTree(tree.root)['d/one']).toBe('644 mine\n');
      } finally {
        tree.write('d/one', 'one\n');
        await workspace.discard();
      }
    });
  },
);

describe.runIf(isRoot && OVERLAYS.length > 0)('an ordinary account', () => {
  it('cannot rename folders in an overlay: the kernel refuses each option that would allow it', () => {
    const folder = mkdtempSync('/var/tmp/deed-redirect-');
    try {
      for (const name of ['', 'lower', 'lower/d', 'upper', 'work', 'merged']) {
        if (name !== '') mkdirSync(join(folder, name));
        chownSync(join(folder, name), ACCOUNT, ACCOUNT);
      }
      const rename = (options: string): number | null => {
        const mount = `mount -t overlay o -o lowerdir=lower,upperdir=upper,workdir=work${options} merged`;
        const account = [`--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, '--clear-groups'];
        const script = `${mount} || exit 32; exec "$0" -e 'fs.renameSync("merged/d", "merged/e")'`;
        const argv = [...account, 'unshare', '-Urm', 'sh', '-c', script, process.execPath];
        return spawnSync('/usr/bin/setpriv', argv, { cwd: folder }).status;
      };
      const refused = ['redirect_dir=on', 'redirect_dir=on,userxattr', 'metacopy=on,userxattr'];
      expect(refused.map((options) => rename(`,${options}`))).toEqual([32, 32, 32]);
      // It can be mounted, and a rename is EXDEV.
      expect(rename(',userxattr')).toBe(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
