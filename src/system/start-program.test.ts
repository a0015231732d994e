import { expect, test } from 'vitest';
import { isSameProcessAlive, identifyProcess } from './process-identity.ts';
import { startProgram } from './start-program.ts';

test('when a wrapper is killed before its namespace exists, its process group is killed too', async () => {
  const wrapper = startProgram(['sh', '-c', 'sleep 300 & echo $!; wait'], {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    container: true,
  });
  const [chunk] = (await new Promise<unknown[]>((resolve) => {
    wrapper.stdout.once('data', (...data) => resolve(data));
  })) as [Buffer];
  const inner = identifyProcess(Number(chunk.toString()));
  if (inner === undefined || wrapper.pid === undefined) throw new Error('nothing was started');
  process.kill(wrapper.pid, 'SIGKILL');
  await wrapper.ended;
  while (isSameProcessAlive(inner)) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isSameProcessAlive(inner)).toBe(false);
}, 30_000);
