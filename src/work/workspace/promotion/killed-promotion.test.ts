import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/fixtures/start-node.ts';
import { readTree } from '../../../../test/fixtures/work-tree.ts';
import { openLibc } from '../../../system/libc/libc.ts';
import { readLiveEntry } from '../read-live-entry.ts';
import type { TreeChange, TreeEntry } from '../workspace.ts';
import { createDiskTreeIo } from './disk-tree-io.ts';
import { listOpenPromotions, recoverPromotion } from './recover-promotion.ts';

const SCRIPT = fileURLToPath(
  new URL('../../../../test/fixtures/processes/promote-and-die.ts', import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), 'deed-dying-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Gives at least two hundred steps in the long version. */
const FILES = LONG ? 72 : 24;
const [before, after] = [join(folder, 'before'), join(folder, 'after')];
const changes = prepare();
const changesFile = join(folder, 'changes.json');
writeFileSync(changesFile, JSON.stringify(changes));

function prepare(): TreeChange[] {
  execFileSync('mkdir', ['-p', `${before}/d`, `${after}/d/new`]);
  const entry = (root: string, path: string): TreeEntry => readLiveEntry(join(root, path)) as TreeEntry;
  return Array.from({ length: FILES }, (_, index): TreeChange => {
    const path = `d/f${String(index).padStart(2, '0')}`;
    if (index % 3 !== 1) writeFileSync(join(before, path), `old ${index}`);
    if (index % 3 !== 2) writeFileSync(join(after, path), `new ${index}`);
    if (index % 3 === 0)
      return { path, action: 'modify', type: 'file', before: entry(before, path), after: entry(after, path) };
    return index % 3 === 1
      ? { path, action: 'create', type: 'file', after: entry(after, path) }
      : { path, action: 'delete', type: 'file', before: entry(before, path) };
  });
}

function run(root: string, logs: string, points: string[]): { signal: string | null; stdout: string } {
  const argv = [SCRIPT, root, logs, after, changesFile, ...points];
  return spawnSync(process.execPath, argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('a process that is killed during a promotion', () => {
  it('leaves a tree that recovery completes or restores, at every step', async () => {
    const io = createDiskTreeIo(await openLibc());
    const attempt = (
      point: string[],
    ): { signal: string | null; steps: number; tree: Record<string, string> } => {
      const root = join(folder, 'tree');
      const logs = join(folder, 'journals');
      for (const path of [root, logs]) rmSync(path, { recursive: true, force: true });
      cpSync(before, root, { recursive: true });
      mkdirSync(logs);
      const { signal, stdout } = run(root, logs, point);
      for (const runId of listOpenPromotions(io, logs)) recoverPromotion(io, logs, runId);
      return { signal, steps: Number(stdout), tree: readTree(root) };
    };
    const old = readTree(before);
    const whole = attempt([]);
    const last = whole.steps;
    expect(whole.signal).toBeNull();
    const stride = LONG ? 1 : 24;
    const seen = new Set<string>();
    for (let at = 0; at < last; at += stride) {
      const { signal, tree } = attempt([String(at)]);
      expect(signal).toBe('SIGKILL');
      const state = JSON.stringify(tree);
      expect([JSON.stringify(old), JSON.stringify(whole.tree)]).toContain(state);
      seen.add(state);
    }
    expect(seen.size).toBe(2);
  }, 600_000);
});
