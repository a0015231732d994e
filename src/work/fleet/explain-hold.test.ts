import { expect, it } from 'vitest';
import { explainHold } from './explain-hold.ts';
import type { SeenWorker } from './work-queue.ts';

const seen = (more: Partial<SeenWorker>): SeenWorker =>
  ({
    role: 'worker',
    queueName: 'build.1',
    ageMs: 0,
    draining: false,
    labels: ['linux'],
    ...more,
  }) as SeenWorker;
const integrator = seen({ role: 'integrator' });
const job = (...requires: string[]) => ({
  queue: 'build',
  queueName: 'build.1',
  pending: [{ id: 'x', requires }],
});

it.each<[string, SeenWorker[], ReturnType<typeof job>, string | undefined]>([
  ['continues', [seen({}), integrator], job('linux'), undefined],
  ['no worker', [integrator], job(), 'No worker serves the queue "build"'],
  ['a worker of another repository', [seen({ queueName: 'build.2' }), integrator], job(), 'No worker serves'],
  ['a lost worker', [seen({ ageMs: 30_000 }), integrator], job(), 'deed worker start --queue build'],
  ['a worker that ends', [seen({ draining: true }), integrator], job(), 'No worker serves'],
  ['no worker with the labels', [seen({}), integrator], job('gpu', 'linux'), 'item "x" requires: gpu, linux'],
  ['paused workers', [seen({ paused: 'Too much.' }), integrator], job(), 'Too much.'],
  [
    'paused workers that could take it',
    [seen({ labels: ['gpu'], paused: 'Full.' }), seen({}), integrator],
    job('gpu'),
    'Full.',
  ],
  ['one paused worker', [seen({ paused: 'Too much.' }), seen({}), integrator], job(), undefined],
  ['no integrator', [seen({})], job(), 'so no result lands'],
  [
    'a push that fails',
    [seen({}), seen({ role: 'integrator', paused: 'No push.' })],
    job(),
    'No result lands: No push.',
  ],
  ['nothing is pending', [integrator], { ...job(), pending: [] }, undefined],
])('%s', (_, workers, held, expected) => {
  const reason = explainHold(held, workers);
  if (expected === undefined) expect(reason).toBeUndefined();
  else expect(reason).toContain(expected);
});
