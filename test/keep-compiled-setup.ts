/** Keeps what a worker compiled for the workers after it; without this, only a process that ends by itself keeps it, and workers are killed. */
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

afterAll(() => flushCompileCache());
