/** Keeps what a worker compiled for the workers after it; without this, only a process that ends by itself keeps it, and workers are killed. */
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

const EVERY_MS = 5000;
/** When this worker will write again: a write looks at all modules, so not every file does it. */
const worker = globalThis as { nextFlush?: number };

afterAll(() => {
  const now = performance.now();
  if (now < (worker.nextFlush ?? 0)) return;
  worker.nextFlush = now + EVERY_MS;
  flushCompileCache();
});
