import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import { createChangeFeed, type ChangeFeed, type Changes } from './change-feed.ts';
import { deedTool } from './deed-tool.ts';

let context: KernelContext;
let feed: ChangeFeed | undefined;
beforeEach(() => {
  context = createKernelContext({ tool: deedTool });
});
afterEach(() => {
  feed?.stop();
  context.dispose();
});

it('a damaged store does not hide changes of runs, and is reported once', async () => {
  writeFileSync(context.home.at('deed.db'), 'no database, but not empty', { mode: 0o600 });
  const warnings: string[] = [];
  const { promise, resolve } = Promise.withResolvers<Changes>();
  feed = createChangeFeed({ ...context, warn: (text) => warnings.push(text) }, resolve);
  await feed.start();
  mkdirSync(context.home.at('runs', 'run_000000000000a'), { recursive: true, mode: 0o700 });
  expect((await promise).runs).toEqual(['run_000000000000a']);
  expect(warnings).toEqual([expect.stringContaining('Changes of tasks cannot be read')]);
});
