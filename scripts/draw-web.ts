/**
 * Draws the pictures of the web pages in docs/images/web: a repository with finished, running, waiting and failed items, tasks, sessions and
 * memories, in a real browser. It runs in a pid namespace, so that the page of processes shows none of this machine.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openPage, PHONE, startBrowser, WIDE } from '../test/fixtures/browser.ts';
import { startOrphans } from '../test/fixtures/orphans.ts';
import { allowAnyAge } from '../test/fixtures/triage-environment.ts';
import { addRecords, addSession } from '../test/fixtures/web-records.ts';
import { startWebAtTerminal, type WebServer } from '../test/fixtures/web-server.ts';
import { createStory, storyItem } from '../test/fixtures/web-story.ts';
import type { WorkBench } from '../test/fixtures/work-bench.ts';
import { ROOT } from './build-constants.ts';

const FOLDER = join(ROOT, 'docs/images/web');

const bench = createStory();
const browser = await startBrowser();
let server: WebServer | undefined;
try {
  allowAnyAge(bench.home);
  const [task = ''] = addRecords(bench);
  addSession(bench);
  startOrphans(2);
  const jobs = await runStory(bench);
  server = await startWebAtTerminal({ home: bench.home, cwd: bench.tree });
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const views = [
    { name: 'now', path: '/' },
    { name: 'inbox', path: '/inbox' },
    { name: 'job', path: `/jobs/${jobs.reviewed}?item=cache` },
    { name: 'running', path: `/jobs/${jobs.running}` },
    { name: 'tasks', path: `/tasks?task=${task}` },
    { name: 'task-graph', path: '/tasks?view=graph' },
    { name: 'sessions', path: '/sessions' },
    { name: 'journal', path: '/journal' },
    { name: 'memory', path: '/journal?view=memory&key=global%2F%2Ftest_command' },
    { name: 'processes', path: '/processes' },
    { name: 'trust', path: '/trust' },
  ];
  for (const size of ['wide', 'phone'] as const)
    for (const theme of ['light', 'dark'] as const) await drawViews(browser, server, views, { size, theme });
} finally {
  writeFileSync(join(bench.gate, 'finish'), '');
  await browser.close();
  await server?.stop();
  bench.dispose();
}

interface Look {
  readonly size: 'wide' | 'phone';
  readonly theme: 'light' | 'dark';
}

async function drawViews(
  started: Browser,
  { url, link }: WebServer,
  views: readonly { readonly name: string; readonly path: string }[],
  { size, theme }: Look,
): Promise<void> {
  const { page } = await openPage(started, url, {
    viewport: size === 'wide' ? WIDE : PHONE,
    colorScheme: theme,
    reducedMotion: 'reduce',
    deviceScaleFactor: size === 'wide' ? 1 : 2,
  });
  await page.goto(link());
  await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
  for (const { name, path } of views) {
    await page.goto(`${url}${path}`);
    await settle(page);
    await page.screenshot({ path: join(FOLDER, `${name}-${size}-${theme}.png`) });
  }
  await page.context().close();
}

async function settle(page: Page): Promise<void> {
  await page.locator('.live:not(.off)').waitFor();
  await page.locator('.row, .diff-file, .log-line, .card, .line-row, .memory-row, .node').first().waitFor();
  await page.waitForTimeout(1500);
}

async function runStory({
  work,
  confirmed,
  plan,
  git,
}: WorkBench): Promise<{ reviewed: string; running: string }> {
  const reviewed = work([
    storyItem('parse', 'Parse quoted fields that contain a comma.'),
    storyItem('columns', 'Trim each column.', { dependencies: ['parse'] }),
    storyItem('header', 'Read the headers of a file.', { dependencies: ['parse'] }),
    storyItem('cache', 'Drop the oldest row when the cache is full.', {
      approval: true,
      dependencies: ['parse'],
    }),
    storyItem('export', 'Quote cells that are exported.', { dependencies: ['columns'], approval: true }),
    storyItem('readme', 'Describe the cache in the readme.', { dependencies: ['cache', 'header'] }),
    storyItem('release', 'Describe everything in the readme for a release.', {
      dependencies: ['readme', 'export'],
    }),
    storyItem('rewrite', 'Rewrite everything.', { constraints: { max_files: 2 } }),
  ]);
  git('add', '.');
  git('commit', '-q', '-m', 'csv: quoted fields, columns, header');
  const started = confirmed(
    'work',
    'run',
    plan([
      storyItem('trim', 'Trim each column.'),
      storyItem('suite', 'Run the whole suite.', { dependencies: ['trim'] }),
      storyItem('report', 'Describe the suite in the readme.', { dependencies: ['suite'] }),
    ]),
    '--detach',
  );
  await new Promise((resolve) => setTimeout(resolve, 8000));
  const { envelope } = reviewed;
  return {
    reviewed: envelope.error?.details.job_id as string,
    running: started.envelope.data.job_id as string,
  };
}
