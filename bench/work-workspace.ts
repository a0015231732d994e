import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { takeSnapshot } from '../src/work/workspace/take-snapshot.ts';
import { detectCapabilities } from '../src/work/workspace/probe-workspace.ts';
import { openWorkspace } from '../src/work/workspace/open-workspace.ts';
import type { Snapshot, Workspace } from '../src/work/workspace/workspace.ts';
import { measure, medianOf, ratioOf, type Case } from './measure.ts';
import type { Report } from './report.ts';
import { createBenchTree, type BenchTree } from './work-tree.ts';

const FILES = 100_000;
const WORKTREE = 'git worktree add, then remove';
const RUN = 'workspace: open, change 10 files, list them, discard';
const WHOLE = 'the same including the state hash';
const WALK = 'readdir and lstat of every entry';
const FREEZE = 'freeze: git-visible files, HEAD, index, one hash';

/** The overhead of a run on a large repository. */
export async function workWorkspace(): Promise<readonly Report[]> {
  const tree = createBenchTree(FILES);
  try {
    return [...(await compareIsolations(tree)), await compareWithWalk(tree)];
  } finally {
    tree.dispose();
  }
}

/** The isolations with an overlay, as far as this machine supports them. */
async function compareIsolations(tree: BenchTree): Promise<readonly Report[]> {
  const reports: Report[] = [];
  for (const only of ['bubblewrap', 'namespace'] as const) {
    // The result of a probe is kept in the folder.
    const context = { ...tree.context, folder: join(tree.context.folder, only), only };
    const { mode } = await detectCapabilities(context, { trust: false });
    if (mode === 'overlay') reports.push(await compareWithWorktree({ ...tree, context }, only));
  }
  return reports;
}

async function compareWithWorktree(tree: BenchTree, isolation: string): Promise<Report> {
  const snapshot = await takeSnapshot(tree.context, tree.root);
  let count = 0;
  const run = async (base: Snapshot): Promise<void> => {
    const runId = `bench-${(count += 1)}`;
    const options = { runId, snapshot: base, policy: { network: true } };
    const workspace = await openWorkspace(tree.context, options);
    await changeTenFiles(workspace);
    const { changes } = await workspace.diff();
    if (changes.length !== 10) throw new Error(`${changes.length} changes instead of 10`);
    await workspace.discard();
  };
  const cases: readonly Case[] = [
    {
      name: WORKTREE,
      run: () => {
        const worktree = join(tree.folder, 'worktree');
        tree.git('worktree', 'add', '-q', '--detach', worktree);
        tree.git('worktree', 'remove', '--force', worktree);
      },
    },
    { name: RUN, run: () => run(snapshot) },
    { name: WHOLE, run: async () => run(await takeSnapshot(tree.context, tree.root)) },
  ];
  const times = await measure(cases, 3, 1);
  return {
    title: `Overhead of a run, ${isolation}`,
    note: `Ratio to \`${WORKTREE}\`; ${FILES} files, 3 rounds in turn.`,
    rows: cases.map(({ name }) => ({
      name,
      milliseconds: medianOf(times, name),
      ratio: ratioOf(times, name, WORKTREE),
      ...(name === RUN ? { target: 0.05 } : {}),
    })),
  };
}

async function changeTenFiles(workspace: Workspace): Promise<void> {
  const script = 'for n in 0 1 2 3 4 5 6 7 8 9; do echo changed > part$n/sub0/file0.ts; done';
  const started = workspace.spawn(['sh', '-c', script], { env: { PATH: '/usr/bin:/bin' } });
  started.stdout.resume();
  started.stdin.end();
  await started.ended;
}

async function compareWithWalk(tree: BenchTree): Promise<Report> {
  const cases: readonly Case[] = [
    { name: WALK, run: () => walk(tree.root) },
    { name: FREEZE, run: async () => void (await takeSnapshot(tree.context, tree.root)) },
  ];
  const times = await measure(cases, 9, 2);
  return {
    title: 'The state of a tree',
    note: `Ratio to \`${WALK}\`; ${FILES} files, unchanged since the last walk, 9 rounds in turn.`,
    rows: cases.map(({ name }) => ({
      name,
      milliseconds: medianOf(times, name),
      ratio: ratioOf(times, name, WALK),
      ...(name === FREEZE ? { target: 2 } : {}),
    })),
  };
}

function walk(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === '.git') continue;
    const path = `${folder}/${entry.name}`;
    lstatSync(path);
    if (entry.isDirectory()) walk(path);
  }
}
