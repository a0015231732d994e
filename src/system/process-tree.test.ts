import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { identifyProcess, isSameProcessAlive, type ProcessIdentity } from './process-identity.ts';
import { killByEnvironment, listDescendants } from './process-tree.ts';
import { uniqueName } from './unique-name.ts';

/** Starts a script, waits until it is ready, and lists it and its descendants. */
async function startMarked(script: string, mark: string): Promise<readonly ProcessIdentity[]> {
  const child = spawn('sh', ['-c', `${script} echo ready; wait`], {
    env: { PATH: process.env.PATH, MARK: mark },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  return [identifyProcess(pid), ...listDescendants(pid)].filter((each) => each !== undefined);
}

it.each([
  ['forty of them', 'for i in $(seq 40); do sleep 1000 & done;', 41],
  ['and descendants without the mark', 'env -i sleep 1000 &', 2],
])('killByEnvironment kills all processes with a mark: %s', async (_, script, size) => {
  const mark = uniqueName();
  const family = await startMarked(script, mark);
  expect(family).toHaveLength(size);
  killByEnvironment(`MARK=${mark}`);
  expect(family.filter(isSameProcessAlive)).toEqual([]);
});
