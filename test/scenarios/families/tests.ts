import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../process-spec.ts';
import { count } from '../scenario.ts';

const family = 'tests';

/** Test runners and their workers. */
export const TESTS: readonly Scenario[] = [
  {
    name: 'a spinning test worker whose runner exited',
    family,
    busy: true,
    truth: { worker: 'abandoned' },
    run: async ({ run, background }, own) => {
      await run(background(own('worker'), { name: 'node jest-worker/processChild.js', does: 'spin' }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'idle workers of a pool whose runner exited',
    family,
    truth: { 'worker*3': 'abandoned' },
    run: async ({ run, background }, own) => {
      const workers = count(3).map((index) => background(own(`worker${index}`), { name: 'node (vitest 2)' }));
      await run(workers.join('\n'), { streams: 'severed' });
    },
  },
  {
    name: 'a worker of distributed tests whose runner exited',
    family,
    truth: { worker: 'abandoned' },
    run: async ({ run, background }, own) => {
      await run(background(own('worker'), { name: 'python -m pytest -n 4', does: 'tick' }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a compiled test that hangs after its runner was killed',
    family,
    truth: { binary: 'abandoned', cargo: 'abandoned' },
    run: async ({ run, background }, own) => {
      const processes = [
        background(own('binary'), { name: '/tmp/go-build123/b001/pkg.test -test.timeout=10m' }),
        background(own('cargo'), { name: '/src/target/debug/deps/suite-1a2b' }),
      ];
      await run(processes.join('\n'), { streams: 'severed' });
    },
  },
  {
    name: 'workers without streams whose runner exited',
    family,
    truth: { 'worker*2': 'abandoned' },
    run: async ({ run, background }, own) => {
      const workers = ['node jest-worker/processChild.js', 'python -m pytest --forked'].map((name, index) =>
        background(own(`worker${index + 1}`), { name, redirect: NULL_STREAMS }),
      );
      await run(workers.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a running runner with its workers',
    family,
    truth: { runner: 'useful', 'worker*4': 'useful' },
    run: async ({ run, background }, own) => {
      const workers = count(4).map((index) =>
        background(own(`worker${index}`), {
          name: 'node jest --worker',
          does: index === 1 ? 'tick' : 'sleep',
        }),
      );
      await run(`${background(own('runner'), { name: 'node jest', children: workers })} wait`);
    },
  },
  {
    name: 'a worker that spins under a running runner',
    family,
    busy: true,
    truth: { runner: 'useful', worker: 'useful_bad' },
    run: async ({ run, background }, own) => {
      const worker = background(own('worker'), { name: 'node jest --worker', does: 'spin' });
      await run(`${background(own('runner'), { name: 'node jest', children: [worker] })} wait`);
    },
  },
];
