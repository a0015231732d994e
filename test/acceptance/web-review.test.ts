import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from '../fixtures/axe.ts';
import { CHROMIUM, openPage, PHONE, startBrowser, WIDE, type WatchedPage } from '../fixtures/browser.ts';
import { fillReceipts } from '../fixtures/fill-receipts.ts';
import { LONG, rowsOf } from '../fixtures/start-node.ts';
import { startWebAtTerminal, type WebServer } from '../fixtures/web-server.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

/** What an agent can leave to mislead the person who reads its diff and its log. */
const DISGUISE = [
  String.raw`printf 'x\n' > "$(printf 'photo\342\200\256gpj.exe')"`,
  String.raw`printf 'if (admin\342\201\246) return;\n' > check.js`,
  String.raw`printf 'x\n' > "$(printf 'two\nlines')"`,
  "echo x > 'end '",
  'chmod +x a.txt',
  'ln -s /etc/passwd link',
  ': > empty',
  String.raw`printf 'a\0b' > data`,
  String.raw`printf 'unended' > b.txt`,
  String.raw`printf '\033[31mred\033[0m 10 %%\r\033[2Kready \342\200\256\n'`,
].join('\n');
/** Longer than its place in the graph. */
const BROKEN = `broken-${'w'.repeat(40)}`;
const LARGE_LINES = 40_000;
const MORE_RUNS = 120;
/** Rendering all lines took eight seconds. */
const MAX_OPEN_MS = 3000;

describe.skipIf(CHROMIUM === undefined || process.platform !== 'linux')('a review in the web pages', () => {
  let bench: WorkBench;
  let server: WebServer;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  let job = '';
  beforeAll(async () => {
    bench = createBench();
    const limits = { constraints: { max_delta_size: 10_000_000 } };
    const { envelope } = bench.work([
      item('disguise', DISGUISE, { approval: true }),
      item('large', `seq ${LARGE_LINES} > large.txt`, { approval: true, ...limits }),
      item(BROKEN, 'exit 3'),
      item('untested', 'true', { test_command: 'echo "3 of 4 passed"; exit 1' }),
    ]);
    job = envelope.error?.details.job_id as string;
    bench.work([item('later', 'echo later > later.txt')]);
    bench.confirmed('memory', 'set', '--key', 'test', '--value', 'npm test', '--agent', 'coder-1');
    fillReceipts(bench.home, MORE_RUNS);
    [server, browser] = await Promise.all([
      startWebAtTerminal({ home: bench.home, cwd: bench.tree }),
      startBrowser(),
    ]);
    watched = await openPage(browser, server.url);
    page = watched.page;
    await page.goto(server.link());
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    bench?.dispose();
  });

  it('finds what waits and what failed behind more than a hundred newer runs', async () => {
    const waiting = page.getByRole('region', { name: 'Waits for you' });
    await waiting.getByRole('link', { name: /^disguise Waits/u }).waitFor();
    await waiting.getByRole('link', { name: /^large Waits/u }).waitFor();
    const failed = page.getByRole('region', { name: 'Failed since you last looked' });
    await failed.getByRole('link', { name: new RegExp(`^${BROKEN} Failed`, 'u') }).waitFor();
  });

  it('opens what the tests printed, of a run that failed in them', async () => {
    await page.goto(`${server.url}/`);
    const failed = page.getByRole('region', { name: 'Failed since you last looked' });
    await failed.getByRole('link', { name: /^untested Failed/u }).click();
    await page.getByText('3 of 4 passed', { exact: true }).waitFor();
  });

  it('shows what a diff does not have as lines, and no hidden characters', async () => {
    await page.goto(`${server.url}/jobs/${job}?item=disguise`);
    const shown = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByRole('button', { name: 'photo⟨U+202E⟩gpj.exe created' }).waitFor();
    await page.getByText('if (admin⟨U+2066⟩) return;').waitFor();
    await shown('two␊lines created +1 −0').waitFor();
    await shown('end␠ created +1 −0').waitFor();
    await shown('a.txt now executable').waitFor();
    await shown('empty created, empty file').waitFor();
    await shown('data created, binary file').waitFor();
    await shown('link created, symbolic link +1 −0').waitFor();
    await page
      .getByRole('region', { name: 'Changes of b.txt' })
      .getByText('no line break at the end')
      .waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('log').getByText('ready ⟨U+202E⟩', { exact: true }).waitFor();
  });

  // Each takes seconds; the inbox represents what web-pages.test.ts checks of all pages in the long suite.
  it.each(
    rowsOf([
      ['/inbox', { role: 'heading', name: 'disguise' }],
      ['/journal?view=memory', { role: 'button', name: /^test/u }],
    ] as const),
  )('is accessible with real content: %s', async (path, { role, name }) => {
    await page.goto(`${server.url}${path}`);
    await page.getByRole(role, { name }).first().waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  it('opens a file with tens of thousands of changed lines, and scrolls to its end', async () => {
    await page.goto(`${server.url}/jobs/${job}?item=large`);
    const file = page.getByRole('button', { name: /large\.txt/u });
    await file.waitFor();
    const startedAt = performance.now();
    await file.click();
    const lines = page.getByRole('region', { name: 'Changes of large.txt' });
    await lines.getByText('7', { exact: true }).first().waitFor();
    expect(performance.now() - startedAt).toBeLessThan(MAX_OPEN_MS);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await lines.getByRole('cell', { name: `+ ${LARGE_LINES}` }).waitFor();
    expect(await lines.locator('tr').count()).toBeLessThan(1000);
  });

  it('takes no decision by a key while a dialog is open', async () => {
    await page.goto(`${server.url}/jobs/${job}?item=disguise`);
    await page.getByRole('button', { name: /^Approve/u }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('group', { name: 'Decision' }).count()).toBe(0);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Confirm: approve' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('brings what was chosen into view on a phone, which shows no graph', async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${server.url}/inbox`);
    await page.getByRole('link', { name: /^large Waits/u }).click();
    const heading = page.getByRole('heading', { name: 'large', exact: true });
    await heading.waitFor();
    await expect
      .poll(async () => (await heading.boundingBox())?.y ?? Infinity)
      .toBeLessThan(PHONE.height / 2);
    await page.goto(`${server.url}/jobs/${job}`);
    await page.getByRole('region', { name: 'Timeline of the items' }).waitFor();
    expect(await page.getByRole('region', { name: 'Dependencies of the items' }).count()).toBe(0);
    await page.setViewportSize(WIDE);
  });

  it.runIf(LONG)(
    'follows the output of all running jobs, and a hidden page leaves the connections to others',
    async () => {
      const wait = `until [ -e ${bench.gate}/finish ]; do echo "line of $DEED_RUN_ID"; sleep 0.2; done`;
      const names = ['first', 'second', 'third', 'fourth'];
      await Promise.all(
        names.map(async (name) => {
          const argv = ['work', 'run', bench.plan([item(name, wait)]), '--detach'];
          const { envelope } = await bench.deedAsync([...argv, '--dry-run']);
          return bench.deedAsync([...argv, '--confirm', envelope.data.confirm_token as string]);
        }),
      );
      const pages = [page];
      for (let count = 0; count < 2; count += 1) pages.push(await page.context().newPage());
      for (const each of pages) {
        await each.goto(`${server.url}/`);
        for (const name of names) await each.getByText(`${name}: line of`).waitFor();
        // A browser without a screen hides no page.
        await each.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
      }
      await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))`);
      writeFileSync(join(bench.gate, 'finish'), '');
      await page.getByText('Nothing is running.').waitFor();
      await Promise.all(pages.slice(1).map((each) => each.close()));
      expect(watched.problems).toEqual([]);
    },
  );

  it('stays open without its server, reports that, and asks to sign in at the next one', async () => {
    await page.goto(`${server.url}/inbox`);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.locator('.live:not(.off)').waitFor();
    process.kill(server.pid, 'SIGKILL');
    await page.getByRole('alert').getByText('The server does not answer.').first().waitFor();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    // The code of this page is not loaded yet.
    await page.getByRole('link', { name: 'Trust' }).click();
    await page.getByRole('alert').getByText('Start it again: deed web').waitFor();
    server = await startWebAtTerminal({
      home: bench.home,
      cwd: bench.tree,
      flags: ['--port', String(server.port)],
    });
    await page.getByText('Open the sign-in link').waitFor();
    // Another tab signs in: this one continues where it was.
    const other = await page.context().newPage();
    await other.goto(server.link());
    await other.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await page.getByRole('heading', { name: 'Verification' }).waitFor();
    await other.close();
  });
});
