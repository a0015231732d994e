import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillLargeStore } from '../../bench/fill-large-home.ts';
import { fillStore } from '../../bench/fill-store.ts';
import { openSqlite } from '../../src/continuity/database/sqlite/open-sqlite.ts';
import { CHROMIUM, openPage, startBrowser } from '../fixtures/browser.ts';
import { LONG } from '../fixtures/start-node.ts';
import { startWeb, type WebServer } from '../fixtures/web-server.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

const MAX_TASK_MS = 50;
const SETUP_TIMEOUT_MS = 1_800_000;
const MAX_PAINT_MS = 1000;
const SCROLLS = 60;
/** A thousand runs. */
const JOBS = 200;
const ITEMS_PER_JOB = 5;

// Minutes, and figures of a machine that does nothing else.
describe.runIf(LONG && CHROMIUM !== undefined)('the web pages of a large home', () => {
  const bench = createBench();
  let server: WebServer;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const path = join(bench.home, 'deed.db');
    fillLargeStore(path, 100_000, 100);
    const database = openSqlite(path);
    await fillStore(database, { tasks: 10_000, memories: 10, events: 10 });
    database.close();
    for (let job = 0; job < JOBS; job += 1) runJob(bench, job);
    [server, browser] = await Promise.all([startWeb({ home: bench.home, cwd: bench.tree }), startBrowser()]);
    ({ page } = await openPage(browser, server.url));
  }, SETUP_TIMEOUT_MS);
  afterAll(async () => {
    await browser.close();
    await server.stop();
    bench.dispose();
  });

  it('paint first within a second', async () => {
    await page.goto(server.link());
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await page.goto(`${server.url}/`);
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    const paints = `performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)`;
    const [firstPaintMs = Infinity] = (await page.evaluate(paints)) as number[];
    console.log(`first paint: ${firstPaintMs.toFixed(0)} ms`);
    expect(firstPaintMs).toBeLessThan(MAX_PAINT_MS);
  });

  it.each([
    // The runs of the jobs have tasks and events of their own.
    { name: '10,000 tasks', path: '/tasks', ready: /^1\d,\d{3} tasks/u, region: 'To do: tasks', end: 50_000 },
    { name: '100,000 events', path: '/journal', ready: /^1\d\d,\d{3}$/u, region: 'Events', end: 50_000 },
    { name: '1,000 runs', path: '/jobs', ready: /^1,\d{3} runs/u, region: 'Jobs', end: 10_000 },
  ])('scroll through $name without a long task', async ({ name, path, ready, region, end }) => {
    await page.goto(`${server.url}${path}`);
    await page.getByText(ready).first().waitFor();
    await page.waitForTimeout(1000);
    const box = page.getByRole('region', { name: region });
    await page.evaluate(
      `globalThis.longTasks = []; new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' })`,
    );
    for (let scroll = 0; scroll < SCROLLS; scroll += 1) {
      await box.evaluate((element) => element.scrollBy({ top: 1500 }));
      await page.waitForTimeout(50);
    }
    const tasks = (await page.evaluate('globalThis.longTasks')) as number[];
    console.log(`${name}: long tasks ${JSON.stringify(tasks)}`);
    expect(await box.evaluate((element) => element.scrollTop)).toBeGreaterThan(end);
    expect(tasks.filter((duration) => duration > MAX_TASK_MS)).toEqual([]);
  });
});

function runJob(bench: WorkBench, job: number): void {
  const items = Array.from({ length: ITEMS_PER_JOB }, (_, n) => item(`item-${n}`, `echo ${job} > ${n}.txt`));
  expect(bench.work(items).envelope.error).toBeUndefined();
}
