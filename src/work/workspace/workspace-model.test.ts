import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LONG } from '../../../test/fixtures/start-node.ts';
import { createWorkTree, readTree, runIn } from '../../../test/fixtures/work-tree.ts';
import { WORKSPACE_MODES } from '../../../test/fixtures/workspace-modes.ts';
import { freeze } from './freeze.ts';
import { rollbackPromotion } from './rollback-promotion.ts';

/**
 * One thing that a run does to a tree, as shell; what cannot be done where it falls does nothing. The same runs on a plain copy
 * without any walls, so no link may lead to something real outside.
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
 * What a copy of a folder into itself leaves depends on the order in which the file system lists it, so that is left out. Asked by `cd`,
 * which gives up on a link that leads to itself; `realpath` follows `b -> b/c` for ever.
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
  it('is promoted to exactly what the same operations give, with the hash that was told, and rolled back to exactly what was', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, during) => {
        for (const inner of readdirSync(tree.root))
          if (inner !== '.git' && inner !== '.gitignore') rmSync(join(tree.root, inner), { recursive: true });
        run(before, tree.root);
        // The same operations on a plain copy say what must come out. What git ignores stays as it was.
        const model = join(dirname(tree.root), 'model');
        rmSync(model, { recursive: true, force: true });
        cpSync(tree.root, model, { recursive: true, verbatimSymlinks: true });
        const start = readTree(tree.root);
        fc.pre(!Object.keys(start).some((at) => at === 'd/d' || at.startsWith('d/d/')));
        run(during, model);
        fc.pre(removeIgnored(model));
        const wanted = readTree(model);

        const runId = `${mode}-${(runs += 1)}`;
        const workspace = await tree.open(runId, { mode });
        await runIn(workspace, script(during));
        const { changes } = await workspace.diff();
        const told = await workspace.hashAfter(changes);
        await workspace.promote(changes);
        await workspace.discard();
        expect(readTree(tree.root)).toEqual(wanted);
        expect((await freeze(tree.context, tree.root)).hash).toBe(told);
        await rollbackPromotion(tree.context, runId);
        expect(readTree(tree.root)).toEqual(start);
      }),
      {
        numRuns: LONG ? 300 : 8,
        // A link that became a folder: git refuses to say what it ignores behind the link that the tree still has.
        examples: [[['ln -sfn a a'], ['rm -rf a', 'mkdir a; echo 0 > a/a']]],
      },
    );
  }, 1_800_000);
});

/**
 * Takes away what git ignores, however it came there; behind a link it would be another path, and not ignored. Fails where a folder
 * held nothing else: such a folder is neither empty nor to be seen, and the model has no word for it.
 */
function removeIgnored(model: string): boolean {
  const folder = join(model, 'd');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return true;
  const names = readdirSync(folder);
  rmSync(join(folder, 'd'), { recursive: true, force: true });
  return !(names.length === 1 && names[0] === 'd');
}
