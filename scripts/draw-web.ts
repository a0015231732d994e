/**
 * Draws the pictures of the web pages in docs/images/web: a repository with finished, running, waiting and failed items, tasks, sessions and
 * memories, and a home with a shared store and workers, in a real browser. It needs Postgres, and runs in a pid namespace, so that the page of
 * processes shows none of this machine.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../test/fixtures/browser.ts';
import { createFleetStory } from '../test/fixtures/fleet-story.ts';
import { startLlmServer } from '../test/fixtures/llm-server.ts';
import { startOrphans } from '../test/fixtures/orphans.ts';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import { allowAnyAge } from '../test/fixtures/triage-environment.ts';
import { addWireSession } from '../test/fixtures/web-session.ts';
import { addRecords, addSession } from '../test/fixtures/web-records.ts';
import { startWebAtTerminal, type WebServer } from '../test/fixtures/web-server.ts';
import { createStory, storyItem } from '../test/fixtures/web-story.ts';
import type { WorkBench } from '../test/fixtures/work-bench.ts';
import { ROOT } from './build-constants.ts';
import { drawViews } from './draw-views.ts';

const FOLDER = join(ROOT, 'docs/images/web');

const browser = await startBrowser();
try {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await drawHome(browser);
  await drawFleet(browser);
} finally {
  await browser.close();
}

/** A home of one person. */
async function drawHome(started: Browser): Promise<void> {
  const bench = createStory();
  const model = await startLlmServer();
  let server: WebServer | undefined;
  try {
    allowAnyAge(bench.home);
    const [task = ''] = addRecords(bench);
    addSession(bench);
    const session = await addWireSession(bench, model);
    startOrphans(2);
    const jobs = await runStory(bench);
    server = await startWebAtTerminal({ home: bench.home, cwd: bench.tree });
    const views = [
      { name: 'now', path: '/' },
      { name: 'inbox', path: '/inbox' },
      { name: 'job', path: `/jobs/${jobs.reviewed}?item=cache` },
      { name: 'running', path: `/jobs/${jobs.running}` },
      { name: 'tasks', path: `/tasks?task=${task}` },
      { name: 'task-graph', path: '/tasks?view=graph' },
      { name: 'sessions', path: `/sessions?session=${session}` },
      { name: 'journal', path: '/journal' },
      { name: 'memory', path: '/journal?view=memory&key=global%2F%2Ftest_command' },
      { name: 'processes', path: '/processes' },
      { name: 'trust', path: '/trust' },
    ];
    await drawViews(started, server, views, FOLDER);
  } finally {
    writeFileSync(join(bench.gate, 'finish'), '');
    await server?.stop();
    await model.close();
    bench.dispose();
  }
}

/** A home with a shared store, which sees the work of three hosts. */
async function drawFleet(started: Browser): Promise<void> {
  const postgres = startPostgres(undefined, ['fsync=off']);
  const { bench, viewer, jobId } = await createFleetStory(postgres.urlOf('deed'));
  let server: WebServer | undefined;
  try {
    const { home, clone } = viewer;
    server = await startWebAtTerminal({ home, cwd: clone, env: { VYBE_DB_PATH: '' } });
    const views = [
      { name: 'hosts', path: '/' },
      { name: 'queues', path: '/jobs' },
      { name: 'queued-job', path: `/jobs/${jobId}?item=suite` },
      { name: 'reports', path: '/processes' },
    ];
    await drawViews(started, server, views, FOLDER);
  } finally {
    writeFileSync(join(bench.gate, 'finish'), '');
    await server?.stop();
    await bench.dispose();
    postgres.dispose();
  }
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
