import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { LONG } from '../fixtures/start-node.ts';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { NOTHING_RAN } from './between.ts';

const MAIN = new URL('main.ts', import.meta.url).pathname;
const LIMIT_MS = 45 * 60_000;

/** Needs the built executable. Programs that are not installed are skipped and named in the output. */
const runMain = (...args: readonly string[]): number | null =>
  spawnSync(process.execPath, [MAIN, ...args], { stdio: 'inherit', timeout: LIMIT_MS }).status;

test.skipIf(!LONG || namespaceCommand === null)(
  'no automatic action on what must be kept, and abandoned processes are found',
  () => {
    expect(runMain()).toBe(0);
  },
  LIMIT_MS,
);

test.skipIf(!LONG || namespaceCommand === null)(
  'a target that is in use again between plan and apply is skipped with the reason',
  ({ skip }) => {
    const code = runMain('--between');
    skip(code === NOTHING_RAN, 'no program of it is installed');
    expect(code).toBe(0);
  },
  LIMIT_MS,
);
