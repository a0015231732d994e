/**
 * Starting a program copies the page tables of the worker, so each of the thousands of starts takes longer the more memory the worker has. A
 * file that used much returns it at its end.
 */
import { afterAll } from 'vitest';
import { returnMemory } from './fixtures/worker-memory.ts';

afterAll(returnMemory);
