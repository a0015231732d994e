import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from '../fixtures/axe.ts';
import { CHROMIUM, openPage, PHONE, startBrowser, WIDE, type WatchedPage } from '../fixtures/browser.ts';
import { createFleetStory, type FleetStory } from '../fixtures/fleet-story.ts';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { LONG } from '../fixtures/start-node.ts';
import { startWebAtTerminal, type WebServer } from '../fixtures/web-server.ts';
import { item } from '../fixtures/work-bench.ts';

const isPossible = CHROMIUM !== undefined && findPostgres() !== undefined && namespaceCommand !== null;
const PATIENT = { timeout: 60_000 };

describe.skipIf(!LONG || !isPossible)('the web pages of a home with a shared store', () => {
  let story: FleetStory;
  let server: WebServer;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    story = await createFleetStory();
    const { home, clone } = story.viewer;
    [server, browser] = await Promise.all([
      startWebAtTerminal({ home, cwd: clone, env: { VYBE_DB_PATH: '' } }),
      startBrowser(),
    ]);
    watched = await openPage(browser, server.url);
    page = watched.page;
    await page.goto(server.link());
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await story?.bench.dispose();
  });
  const region = (name: string) => page.getByRole('region', { name, exact: true });

  it('show the workers and integrators of all hosts, and what they run', async () => {
    const hosts = region('Hosts');
    for (const name of ['build-1', 'build-2', 'land-1'])
      await hosts.getByText(name, { exact: true }).waitFor();
    await hosts.getByText('integrator of queue nightly').waitFor();
    await hosts
      .getByText('arm, bubblewrap')
      .or(hosts.getByText(/· arm,/u))
      .first()
      .waitFor();
    await hosts.getByText(/running test \d+ of 240/u).waitFor(PATIENT);
    await region('Running')
      .getByText(/^suite runs on build-[12]$/u)
      .waitFor(PATIENT);
    await region('Recent jobs').getByText('No job has run on this host.').waitFor();
    const failed = region('Failed since you last looked');
    await failed.getByText(/^app · on build-[12] · The agent failed: exit code 3$/u).waitFor(PATIENT);
    await failed.getByRole('link', { name: /^export/u }).waitFor();
  });

  it('show the jobs in the queues, and open one that another home submitted, live', async () => {
    await page.goto(`${server.url}/jobs`);
    await region('In the queues of all hosts').getByRole('link', { name: /^app/u }).click();
    await page.getByText('branch main · queue nightly').waitFor();
    const timeline = region('Timeline of the items');
    await timeline.getByRole('link', { name: /^parse Done/u }).waitFor(PATIENT);
    await timeline.getByRole('link', { name: /^suite Running/u }).click();
    await page
      .getByRole('log')
      .getByText(/running test \d+ of 240/u)
      .first()
      .waitFor(PATIENT);
    await timeline.getByRole('link', { name: /^readme Queued/u }).click();
    await page.getByText('readme waits for suite.').waitFor();
    await timeline.getByRole('link', { name: /^export Failed/u }).click();
    await page.getByText('The agent failed: exit code 3').waitFor();
    await page.getByRole('log').getByText('No such file: cells.csv').waitFor();
  });

  it('let a person approve a run of another host, which then lands', async () => {
    await page.goto(`${server.url}/inbox`);
    await page
      .getByRole('list', { name: 'Waiting' })
      .getByRole('link', { name: /^cache/u })
      .click();
    await page.getByText(/^agent-1 on build-[12] ·/u).waitFor();
    await page.locator('tr.add').getByText('cached').waitFor();
    await page.getByRole('button', { name: /^Approve/u }).click();
    await page.getByRole('button', { name: 'Confirm: approve' }).click();
    await page.getByText('Approved: cache').waitFor(PATIENT);
    await page.goto(`${server.url}/jobs/${story.jobId}?item=cache`);
    await region('Timeline of the items')
      .getByRole('link', { name: /^cache Done/u })
      .waitFor(PATIENT);
    expect(story.bench.git('show', 'main:cache.txt')).toBe('cached\n');
  });

  it('show what is left running on each host', async () => {
    await page.goto(`${server.url}/processes`);
    const hosts = region('Left running on all hosts');
    const row = (name: string) => hosts.getByRole('listitem').filter({ hasText: name });
    await row('build-1')
      .getByText(/^2 processes, \d+ MB$/u)
      .waitFor(PATIENT);
    await row('build-1').getByText('mcp-server-demo').first().waitFor();
    await row('build-2').getByText('nothing left running').waitFor(PATIENT);
  });

  const views = [
    { name: 'Now', path: () => '/', shown: 'Hosts' },
    { name: 'Jobs', path: () => '/jobs', shown: 'In the queues of all hosts' },
    { name: 'Job', path: () => `/jobs/${story.jobId}?item=suite`, shown: 'Timeline of the items' },
    { name: 'Processes', path: () => '/processes', shown: 'Left running on all hosts' },
  ];
  it.each(views)('are accessible in light and dark, and fit on a phone: $name', async ({ path, shown }) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${server.url}${path()}`);
      await region(shown).waitFor();
      expect(await findViolations(page)).toEqual([]);
    }
    await page.setViewportSize(PHONE);
    await region(shown).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await page.setViewportSize(WIDE);
  });

  it('show the end of an item on another host without a reload', async () => {
    await page.goto(`${server.url}/jobs/${story.jobId}?item=suite`);
    const timeline = region('Timeline of the items');
    await timeline.getByRole('link', { name: /^suite Running/u }).waitFor();
    writeFileSync(join(story.bench.gate, 'finish'), '');
    await timeline.getByRole('link', { name: /^suite Done/u }).waitFor(PATIENT);
    await timeline.getByRole('link', { name: /^readme Done/u }).waitFor(PATIENT);
    expect(watched.problems).toEqual([]);
  });

  it('are named by work run --on in the home that submits the job, also while it follows', async () => {
    const { viewer } = story;
    const submit = (flags: readonly string[]) =>
      viewer.writeAsync('work', 'run', viewer.plan(item('told', 'exit 3')), '--on', 'nightly', ...flags);
    for (const flags of [['--detach'], []]) {
      const { envelope, stderr } = await submit(flags);
      const told = (envelope.data ?? envelope.error?.details) as { job_id: string; watch: string };
      expect(told.watch).toBe(`${server.url}/jobs/${told.job_id}`);
      expect(stderr).toContain(`watch it: ${told.watch}`);
    }
  });
});
