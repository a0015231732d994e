import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeEmptyGroups, throttleGroupName } from './throttle-groups.ts';

test('groups of exited processes are removed; groups in use and those of others are kept', () => {
  const root = mkdtempSync(join(tmpdir(), 'deed-cgroups-'));
  try {
    const [empty, used, other] = [throttleGroupName(1, 2), throttleGroupName(3, 4), 'user.slice'];
    for (const name of [empty, used, other]) mkdirSync(join(root, name));
    // A folder with a file cannot be removed, as a cgroup with processes cannot.
    writeFileSync(join(root, used, 'cgroup.procs'), '3\n');
    removeEmptyGroups(root);
    expect([empty, used, other].map((name) => existsSync(join(root, name)))).toEqual([false, true, true]);
    removeEmptyGroups(join(root, 'missing'));
  } finally {
    rmSync(root, { recursive: true });
  }
});
