import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, openPage, PHONE, startBrowser, WIDE, type WatchedPage } from '../fixtures/browser.ts';
import { LONG } from '../fixtures/start-node.ts';
import { startWebAtTerminal, type WebServer } from '../fixtures/web-server.ts';
import { createStory, storyItem } from '../fixtures/web-story.ts';
import type { WorkBench } from '../fixtures/work-bench.ts';

if (CHROMIUM === undefined) console.warn('No Chromium: the tests of the web pages are skipped.');

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MAX_SCRIPT_BYTES = 200_000;

describe.skipIf(CHROMIUM === undefined || process.platform !== 'linux')('the web pages', () => {
  let bench: WorkBench;
  let server: WebServer;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  let job = '';
  let scriptBytes = 0;
  beforeAll(async () => {
    bench = createStory();
    const plan = [
      storyItem('parse', 'Parse quoted fields that contain a comma.'),
      storyItem('cache', 'Drop the oldest row when the cache is full.', { approval: true }),
      storyItem('columns', 'Trim each column.', { approval: true, dependencies: ['parse'] }),
      storyItem('readme', 'Describe the cache in the readme.', { dependencies: ['cache'] }),
      storyItem('rewrite', 'Rewrite everything.', { constraints: { max_files: 2 } }),
    ];
    const { envelope } = bench.work(plan);
    job = envelope.error?.details.job_id as string;
    [server, browser] = await Promise.all([
      startWebAtTerminal({ home: bench.home, cwd: bench.tree }),
      startBrowser(),
    ]);
    watched = await openPage(browser, server.url);
    page = watched.page;
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scriptBytes += Number(response.headers()['content-length']);
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    bench?.dispose();
  });

  it('show what waits for a person, right after the one-time link was opened', async () => {
    await page.goto(server.link());
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.getByRole('link', { name: /^cache Waits for you/u }).waitFor();
    await page.getByRole('link', { name: /^rewrite Denied/u }).waitFor();
    expect(scriptBytes).toBeGreaterThan(0);
    expect(scriptBytes).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('show a job with its graph, its timeline and the diff of a run', async () => {
    await page.goto(`${server.url}/jobs/${job}`);
    await page
      .getByRole('region', { name: 'Dependencies of the items' })
      .getByRole('link', { name: 'readme: Queued' })
      .waitFor();
    await page
      .getByRole('region', { name: 'Timeline of the items' })
      .getByRole('link', { name: /^parse Done/u })
      .click();
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByText('Passed', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Limits' }).click();
    await page.getByRole('meter', { name: 'Files' }).waitFor();
    await page.getByRole('tab', { name: 'Receipt' }).click();
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('Verified: signature, hashes and chain').waitFor();
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByText('Reading src/parse.js').waitFor();
  });

  it('let a person approve one item by keyboard after reading its diff', async () => {
    await page.goto(`${server.url}/`);
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { name: 'cache', exact: true }).waitFor();
    await page.getByText('rows.delete(rows.keys().next().value)').waitFor();
    await page.getByRole('button', { name: 'Split' }).click();
    expect(await page.locator('table.split td.add').count()).toBeGreaterThan(5);
    await page.getByRole('button', { name: 'Unified' }).click();
    await page.locator('body').press('a');
    await page.getByRole('button', { name: 'Confirm: approve' }).and(page.locator(':focus')).waitFor();
    expect(bench.read('src/cache.js')).not.toContain('LIMIT');
    await page.keyboard.press('Enter');
    await page.getByText('Approved: cache').waitFor();
    expect(bench.read('src/cache.js')).toContain('LIMIT');
    // The next one is selected, and the decision is that of the person.
    await page.getByRole('heading', { name: 'columns', exact: true }).waitFor();
    const runs = bench.observe(['work', 'list', '--status', 'success']).envelope.data.items as {
      run_id: string;
      item_id: string;
    }[];
    const run = runs.find(({ item_id }) => item_id === 'cache')?.run_id ?? '';
    expect(bench.observe(['work', 'show', run]).envelope.data.approval).toMatchObject({
      decision: 'approved',
      by: expect.stringMatching(/^user:/u),
    });
  });

  it('tell a person who decides too late who was faster', async () => {
    const [waiting] = bench.observe(['work', 'list', '--status', 'waiting']).envelope.data.items as {
      run_id: string;
    }[];
    const run = waiting?.run_id ?? '';
    await page.goto(`${server.url}/inbox?run=${run}`);
    await page.getByRole('button', { name: /^Reject/u }).click();
    await page.getByRole('textbox').fill('Not needed.');
    await page.getByRole('button', { name: /^Show what reject changes/u }).click();
    await page.getByRole('button', { name: 'Confirm: reject' }).waitFor();
    expect(bench.confirmedAtTerminal('work', 'approve', run).envelope.ok).toBe(true);
    await page.getByText(/^Decided by .+: approved\.$/u).waitFor();
    expect(bench.observe(['work', 'show', run]).envelope.data.status).toBe('success');
  });

  it('continue a job after its runs were decided', async () => {
    await page.goto(`${server.url}/jobs/${job}?item=readme`);
    await page.getByRole('button', { name: 'Continue job' }).click();
    await page.getByRole('button', { name: 'Confirm: continue job' }).click();
    const timeline = page.getByRole('region', { name: 'Timeline of the items' });
    await timeline.getByRole('link', { name: /^readme Done/u }).waitFor();
    expect(bench.read('README.md')).toContain('Rows are cached');
  });

  it('follow a job that is opened in the middle, live', async () => {
    const started = bench.confirmed(
      'work',
      'run',
      bench.plan([storyItem('suite', 'Run the whole suite.')]),
      '--detach',
    );
    const id = started.envelope.data.job_id as string;
    expect(started.stderr).toContain(`watch it: ${server.url}/jobs/${id}`);
    await page.goto(`${server.url}/`);
    await page.getByText(/suite: running test \d+ of 240/u).waitFor();
    await page.goto(`${server.url}/jobs/${id}`);
    await page.getByRole('log').getByText('running test 2 of 240').waitFor();
    writeFileSync(join(bench.gate, 'finish'), '');
    await page.locator('.page-head').getByText('Done', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'Timeline of the items' })
      .getByRole('link', { name: /^suite Done/u })
      .waitFor();
  });

  const views = [
    { name: 'Now', path: () => '/' },
    { name: 'Inbox', path: () => '/inbox' },
    { name: 'Job', path: () => `/jobs/${job}?item=cache` },
  ];
  const looks = views.flatMap((view) => (['light', 'dark'] as const).map((theme) => ({ ...view, theme })));
  // Each takes seconds; the short suite checks the two pages with most on them.
  const short = looks.filter(({ name, theme }) => name === (theme === 'light' ? 'Inbox' : 'Job'));
  it.each(LONG ? looks : short)(
    'have no accessibility violations: $name, $theme',
    async ({ path, theme }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.goto(`${server.url}${path()}`);
      await page.locator('.bar .live:not(.off)').waitFor();
      await page.locator('.panel, .empty').first().waitFor();
      expect(await violations(page)).toEqual([]);
    },
  );

  it('fit on a phone', async () => {
    await page.setViewportSize(PHONE);
    for (const { path } of views) {
      await page.goto(`${server.url}${path()}`);
      await page.locator('.panel:not(.graph-panel), .empty').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    }
    await page.setViewportSize(WIDE);
  });

  it('show stored text as text', async () => {
    const evil = '<img src=x onerror="document.title=1"> <script>document.title=2</script>';
    bench.work([storyItem('markup', `Trim each column. ${evil}`, { approval: true })]);
    await page.goto(`${server.url}/inbox`);
    await page.getByText(evil).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  it('reported no error and sent no request to another server', () => {
    expect(watched.problems).toEqual([]);
  });
});

async function violations(page: Page): Promise<string[]> {
  // The policy of the page allows no other script; this one does not belong to it.
  const result = await page.evaluate(`${AXE}; axe.run(document, { resultTypes: ['violations'] })`);
  return (result as { violations: { id: string; nodes: { html: string }[] }[] }).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
}
