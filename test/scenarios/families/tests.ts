import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../part.ts';
import { count } from '../scenario.ts';

const family = 'tests';

/** Test runners and their workers. */
export const TESTS: readonly Scenario[] = [
  {
    name: 'a spinning test worker whose runner died',
    family,
    busy: true,
    truth: { worker: 'abandoned' },
    play: async ({ play, part }, own) => {
      await play(part(own('worker'), { name: 'node jest-worker/processChild.js', does: 'spin' }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'idle workers of a pool whose runner died',
    family,
    truth: { 'worker*3': 'abandoned' },
    play: async ({ play, part }, own) => {
      const workers = count(3).map((index) => part(own(`worker${index}`), { name: 'node (vitest 2)' }));
      await play(workers.join('\n'), { streams: 'severed' });
    },
  },
  {
    name: 'a worker of distributed tests whose runner died',
    family,
    truth: { worker: 'abandoned' },
    play: async ({ play, part }, own) => {
      await play(part(own('worker'), { name: 'python -m pytest -n 4', does: 'tick' }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a compiled test that hangs after its runner was killed',
    family,
    truth: { binary: 'abandoned', cargo: 'abandoned' },
    play: async ({ play, part }, own) => {
      const parts = [
        part(own('binary'), { name: '/tmp/go-build123/b001/pkg.test -test.timeout=10m' }),
        part(own('cargo'), { name: '/src/target/debug/deps/suite-1a2b' }),
      ];
      await play(parts.join('\n'), { streams: 'severed' });
    },
  },
  {
    name: 'workers without streams whose runner died',
    family,
    truth: { 'worker*2': 'abandoned' },
    play: async ({ play, part }, own) => {
      const workers = ['node jest-worker/processChild.js', 'python -m pytest --forked'].map((name, index) =>
        part(own(`worker${index + 1}`), { name, redirect: NULL_STREAMS }),
      );
      await play(workers.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a living runner with its workers',
    family,
    truth: { runner: 'useful', 'worker*4': 'useful' },
    play: async ({ play, part }, own) => {
      const workers = count(4).map((index) =>
        part(own(`worker${index}`), { name: 'node jest --worker', does: index === 1 ? 'tick' : 'sleep' }),
      );
      await play(`${part(own('runner'), { name: 'node jest', children: workers })} wait`);
    },
  },
  {
    name: 'a worker that spins under a living runner',
    family,
    busy: true,
    truth: { runner: 'useful', worker: 'useful_bad' },
    play: async ({ play, part }, own) => {
      const worker = part(own('worker'), { name: 'node jest --worker', does: 'spin' });
      await play(`${part(own('runner'), { name: 'node jest', children: [worker] })} wait`);
    },
  },
];
