import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { identifyProcess, isSameProcessAlive, type ProcessIdentity } from './process-identity.ts';
import { endByEnvironment, listDescendants } from './process-tree.ts';
import { uniqueName } from './unique-name.ts';

/** Starts a script that says when it is ready, and lists it and what it has started. */
async function startMarked(script: string, mark: string): Promise<readonly ProcessIdentity[]> {
  const child = spawn('sh', ['-c', `${script} echo ready; wait`], {
    env: { PATH: process.env.PATH, MARK: mark },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  return [identifyProcess(pid), ...listDescendants(pid)].filter((each) => each !== undefined);
}

it('what carries a mark is gone when its end was asked for, however many they are', async () => {
  const mark = uniqueName();
  const family = await startMarked('for i in $(seq 40); do sleep 1000 & done;', mark);
  expect(family).toHaveLength(41);
  endByEnvironment(`MARK=${mark}`);
  expect(family.filter(isSameProcessAlive)).toEqual([]);
});

it('what hangs on it goes with it, although it does not show the mark', async () => {
  const mark = uniqueName();
  const family = await startMarked('env -i sleep 1000 &', mark);
  expect(family).toHaveLength(2);
  endByEnvironment(`MARK=${mark}`);
  expect(family.filter(isSameProcessAlive)).toEqual([]);
});
