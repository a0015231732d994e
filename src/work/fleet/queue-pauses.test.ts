import { expect, it } from 'vitest';
import { createQueuePauses } from './queue-pauses.ts';

const LONG_MS = 60_000;
const drain = (): AbortController => new AbortController();
const timed = async (work: () => Promise<void>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

it('an announcement ends a pause, and one that came while the queue was asked prevents it', async () => {
  const pauses = createQueuePauses(drain().signal, 0);
  pauses.ask();
  const paused = timed(() => pauses.whileEmpty(LONG_MS, 0));
  setTimeout(pauses.announced, 20);
  expect(await paused).toBeLessThan(5000);
  pauses.ask();
  pauses.announced();
  expect(await timed(() => pauses.whileEmpty(LONG_MS, 0))).toBeLessThan(5000);
  // What was announced before the queue was asked is not news.
  pauses.announced();
  pauses.ask();
  expect(await timed(() => pauses.whileEmpty(50, 0))).toBeGreaterThan(45);
});

it('many processes that hear of an entry at once still ask at their pace, and one that gathers waits for more', async () => {
  const pauses = createQueuePauses(drain().signal, 0);
  pauses.ask();
  pauses.announced();
  expect(await timed(() => pauses.whileEmpty(LONG_MS, 80))).toBeGreaterThan(75);
  const gathering = createQueuePauses(drain().signal, 60);
  gathering.ask();
  gathering.announced();
  expect(await timed(() => gathering.whileEmpty(LONG_MS, 0))).toBeGreaterThan(55);
});

it('the end of an item ends both pauses, an announcement only that for an empty queue; draining ends all', async () => {
  const draining = drain();
  const pauses = createQueuePauses(draining.signal, LONG_MS);
  const full = timed(() => pauses.whileFull(100));
  setTimeout(pauses.announced, 10);
  expect(await full).toBeGreaterThan(95);
  pauses.ask();
  for (const pause of [() => pauses.whileFull(LONG_MS), () => pauses.whileEmpty(LONG_MS, 0)]) {
    const paused = timed(pause);
    setTimeout(pauses.itemEnded, 10);
    expect(await paused).toBeLessThan(5000);
  }
  pauses.announced();
  const paused = timed(() => pauses.whileEmpty(LONG_MS, LONG_MS));
  setTimeout(() => draining.abort(), 10);
  expect(await paused).toBeLessThan(5000);
});
