import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LONG } from '../../../test/fixtures/start-node.ts';
import { createWorkTree, readTree, runIn } from '../../../test/fixtures/work-tree.ts';
import { WORKSPACE_MODES } from '../../../test/fixtures/workspace-modes.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { rollbackPromotion } from './rollback-promotion.ts';

/**
 * A shell command of a run; it does nothing if it cannot be applied. The same commands run on a plain copy without a sandbox, so no
 * link may point to something real outside.
 */
const name = fc.constantFrom('a', 'b', 'c', 'd');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const step = fc.oneof(
  fc
    .tuple(path, fc.integer({ min: 0, max: 9 }))
    .map(([at, text]) => `mkdir -p "$(dirname ${at})"; echo ${text} > ${at}`),
  fc
    .tuple(path, fc.constantFrom('644', '600', '755'))
    .map(([at, mode]) => `[ -f ${at} ] && chmod ${mode} ${at}`),
  path.map((at) => `rm -rf ${at}`),
  path.map((at) => `rm -f ${at}`),
  path.map((at) => `mkdir -p ${at}`),
  fc.tuple(path, path).map(([from, to]) => `mv -T ${from} ${to}`),
  fc
    .tuple(path, fc.constantFrom('a', 'b/c', 'nowhere', '/nonexistent/x'))
    .map(([at, to]) => `ln -sfn ${to} ${at}`),
  fc.tuple(path, path).map(([from, to]) => `copy ${from} ${to}`),
);
const steps = fc.array(step, { minLength: 1, maxLength: 12 });

const tree = createWorkTree({ '.gitignore': 'd/d\n' });
afterAll(() => tree.dispose());
let runs = 0;

/**
 * The result of copying a folder into itself depends on the order of directory entries, so this is skipped. Checked with `cd`, which
 * fails for a link to itself; `realpath` would follow `b -> b/c` indefinitely.
 */
const COPY = `copy() {
  if [ -d $1 ] && [ ! -L $1 ]; then
    case "$({ cd $2 || cd $(dirname $2); } && pwd -P)/" in "$(cd $1 && pwd -P)"/*) return;; esac
  fi
  cp -a $1 $2
}`;

function script(commands: readonly string[]): string {
  return [COPY, ...commands.map((command) => `{ ${command}; } 2>/dev/null`), 'true'].join('\n');
}

function run(commands: readonly string[], cwd: string): void {
  execFileSync('sh', ['-c', script(commands)], { cwd });
}

describe.each(WORKSPACE_MODES)('any sequence of file operations in mode %s', (mode) => {
  it('is promoted to exactly the result of the same operations, with the predicted hash, and rolled back exactly', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, during) => {
        for (const inner of readdirSync(tree.root))
          if (inner !== '.git' && inner !== '.gitignore') rmSync(join(tree.root, inner), { recursive: true });
        run(before, tree.root);
        // The same operations on a plain copy give the expected result. Ignored files stay unchanged.
        const model = join(dirname(tree.root), 'model');
        rmSync(model, { recursive: true, force: true });
        cpSync(tree.root, model, { recursive: true, verbatimSymlinks: true });
        const start = readTree(tree.root);
        fc.pre(!Object.keys(start).some((at) => at === 'd/d' || at.startsWith('d/d/')));
        run(during, model);
        fc.pre(removeIgnored(model));
        const expected = readTree(model);

        const runId = `${mode}-${(runs += 1)}`;
        const workspace = await tree.open(runId, { mode });
        await runIn(workspace, script(during));
        const { changes } = await workspace.diff();
        const hash = await workspace.hashAfter(changes);
        await workspace.promote(changes);
        await workspace.discard();
        expect(readTree(tree.root)).toEqual(expected);
        expect((await takeSnapshot(tree.context, tree.root)).hash).toBe(hash);
        await rollbackPromotion(tree.context, runId);
        expect(readTree(tree.root)).toEqual(start);
      }),
      {
        numRuns: LONG ? 300 : 4,
        // A link that became a folder: git rejects paths behind the link that the tree still has.
        examples: [[['ln -sfn a a'], ['rm -rf a', 'mkdir a; echo 0 > a/a']]],
      },
    );
  }, 1_800_000);
});

/**
 * Removes the ignored path `d/d`. Fails if its folder contained nothing else: such a folder is neither empty nor visible to git, which
 * the model does not support.
 */
function removeIgnored(model: string): boolean {
  const folder = join(model, 'd');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return true;
  const names = readdirSync(folder);
  rmSync(join(folder, 'd'), { recursive: true, force: true });
  return !(names.length === 1 && names[0] === 'd');
}
