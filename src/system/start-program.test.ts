import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pause } from '../base/pause.ts';
import { isSameProcessAlive, identifyProcess, pidNamespace } from './process-identity.ts';
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

test('the first process of a reported namespace is gone at the end, even if the report is read late', async () => {
  const started = async (namespace: string) => {
    const wrapper = startProgram(
      [
        'sh',
        '-c',
        // It is in its own session when it runs `sleep`; until then it is killed with the group of the wrapper.
        `setsid sleep 300 >/dev/null 2>&1 3>&- & echo $!
         until [ "$(cat /proc/$!/comm)" = sleep ]; do sleep 0.01; done
         echo "{ \\"child-pid\\": $!, \\"pid-namespace\\": $0 }" >&3`,
        namespace,
      ],
      { cwd: '/', env: { PATH: process.env.PATH ?? '' }, container: true },
    );
    let output = '';
    wrapper.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    wrapper.stderr.resume();
    while (isSameProcessAlive({ pid: wrapper.pid ?? 0, startedAt: '' })) pause(5);
    await wrapper.ended;
    return Number(output);
  };
  expect(identifyProcess(await started(pidNamespace(process.pid)))).toBeUndefined();
  // A process in another namespace has only the same pid, so it is not killed.
  const other = await started('1');
  expect(identifyProcess(other)).toBeDefined();
  process.kill(other, 'SIGKILL');
}, 30_000);

test('the status is complete when the end is reported, also on the runtime of the executable', () => {
  // The event loop is blocked until the program has exited, so its exit and its status are handled in the same pass.
  const script = `
    import { startProgram } from ${JSON.stringify(new URL('start-program.ts', import.meta.url).href)};
    const statuses = [];
    for (let run = 0; run < 20; run += 1) {
      const program = startProgram(['/bin/sh', '-c', 'echo up >&3'], { cwd: '/', env: {}, container: true });
      program.stdout.resume();
      program.stderr.resume();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      statuses.push((await program.ended).status);
    }
    console.log(JSON.stringify(statuses));
  `;
  const bun = fileURLToPath(new URL('../../node_modules/.bin/bun', import.meta.url));
  for (const argv of [
    [bun, '-e', script],
    [process.execPath, '--input-type=module', '-e', script],
  ] as const) {
    const [program, ...args] = argv;
    const statuses: unknown = JSON.parse(execFileSync(program, args, { encoding: 'utf8' }));
    expect([program, statuses]).toEqual([program, Array.from({ length: 20 }, () => 'up\n')]);
  }
}, 60_000);
