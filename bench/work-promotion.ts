import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../src/system/blake3.ts';
import { promoteChanges } from '../src/work/workspace/promote-changes.ts';
import type { TreeChange, TreeEntry } from '../src/work/workspace/workspace.ts';
import { measure, medianOf, ratioOf } from './measure.ts';
import type { Report } from './report.ts';
import { createBenchTree, type BenchTree } from './work-tree.ts';

const BARE = '10 files: write, fsync, rename, fsync of the folder';
const PROMOTE = '10 files promoted, with log, check and stored contents';
/** It also checks and stores both contents, and opens the folder again for each step, in case it was replaced. */
const PROMOTE_TARGET = 3;
const FEW = 'one of 100 promoted files';
const MANY = 'one of 1000 promoted files';

/** The cost of a promotion, and that it is proportional to the number of changes. */
export async function workPromotion(): Promise<readonly Report[]> {
  const tree = createBenchTree(10_000);
  try {
    const promoteFiles = createPromotions(tree);
    const bare = createBare(tree);
    const short = await measure(
      [
        { name: BARE, run: () => bare(10) },
        { name: PROMOTE, run: () => promoteFiles(10) },
      ],
      15,
    );
    const long = await measure(
      [
        { name: FEW, run: () => promoteFiles(100) },
        { name: MANY, run: () => promoteFiles(1000) },
      ],
      5,
      1,
    );
    return [
      {
        title: 'Promotion',
        note: `Ratio to \`${BARE}\`; 15 rounds in turn.`,
        rows: [BARE, PROMOTE].map((name) => ({
          name,
          milliseconds: medianOf(short, name),
          ratio: ratioOf(short, name, BARE),
          ...(name === PROMOTE ? { target: PROMOTE_TARGET } : {}),
        })),
      },
      {
        title: 'Promotion of more',
        note: `Ratio to \`${FEW}\`: at most 1.5, so that the cost per change does not depend on their number. 5 rounds in turn.`,
        rows: [
          { name: FEW, milliseconds: medianOf(long, FEW) / 100, ratio: 1 },
          {
            name: MANY,
            milliseconds: medianOf(long, MANY) / 1000,
            ratio: ratioOf(long, MANY, FEW) / 10,
            target: 1.5,
          },
        ],
      },
    ];
  } finally {
    tree.dispose();
  }
}

const SIZE = 2000;

/** Promotes files in a separate folder, alternating between two contents. */
function createPromotions(tree: BenchTree): (count: number) => Promise<void> {
  const contents = ['a', 'b'].map((letter) => letter.repeat(SIZE));
  const entries = contents.map((content): TreeEntry => ({
    type: 'file',
    mode: 0o644,
    size: SIZE,
    hash: blake3Hex(content),
  }));
  const state = new Map<number, number>();
  let runs = 0;
  return async (count) => {
    const folder = `flip${count}`;
    if (!state.has(count)) {
      mkdirSync(join(tree.root, folder));
      for (let index = 0; index < count; index += 1)
        writeFileSync(join(tree.root, folder, `f${index}`), contents[0] ?? '', { mode: 0o644 });
    }
    const now = state.get(count) ?? 0;
    state.set(count, 1 - now);
    const [before, after] = [entries[now], entries[1 - now]];
    if (before === undefined || after === undefined) throw new Error('no entry');
    const changes = Array.from({ length: count }, (_, index): TreeChange => ({
      path: `${folder}/f${index}`,
      action: 'modify',
      type: 'file',
      before,
      after,
    }));
    await promoteChanges(tree.context, {
      runId: `flip-${(runs += 1)}`,
      root: tree.root,
      kind: 'promotion',
      changes,
      drift: [],
      source: () => [Buffer.from(contents[1 - now] ?? '')],
    });
  };
}

/** The minimum for durable replacement, file by file. */
function createBare(tree: BenchTree): (count: number) => void {
  const folder = join(tree.root, 'bare');
  mkdirSync(folder);
  const content = 'c'.repeat(SIZE);
  return (count) => {
    for (let index = 0; index < count; index += 1) {
      const path = join(folder, `f${index}`);
      const file = openSync(`${path}.tmp`, 'w');
      writeSync(file, content);
      fsyncSync(file);
      closeSync(file);
      renameSync(`${path}.tmp`, path);
      const parent = openSync(folder, 'r');
      fsyncSync(parent);
      closeSync(parent);
    }
  };
}
