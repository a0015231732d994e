import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, openPage, startBrowser } from '../fixtures/browser.ts';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createPtSandbox } from '../fixtures/pt-sandbox.ts';
import { executable } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Serves the pages in a pid namespace with one orphan, until the file `stop` exists. */
const SERVE = `
orphans 1
( true | setsid bash -c 'exec 9> "$OUT/lock"; flock 9; exec -a mcp-server-locked sleep 1000' > /dev/null 2>&1 & )
until [ -e "$OUT/lock" ]; do sleep 0.02; done
'${executable()[0]}' web --link-file "$OUT/link.json" --stop-after 2m > /dev/null 2>&1 &
until [ -e "$OUT/stop" ]; do sleep 0.1; done
record left $(alive $ORPHANS)
kill %1; wait
`;

async function waitForFile(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(50);
}

describe.runIf(CHROMIUM !== undefined && namespaceCommand !== null)('the page of processes', () => {
  it.runIf(LONG)('shows evidence and vetoes, and terminates a process after its dry run', async () => {
    const sandbox = createPtSandbox();
    const out = join(sandbox.home, 'out');
    const served = sandbox.run(SERVE);
    const browser = await startBrowser();
    try {
      await waitForFile(join(out, 'link.json'));
      const { url, link } = JSON.parse(readFileSync(join(out, 'link.json'), 'utf8')) as Record<
        string,
        string
      >;
      const { page, problems } = await openPage(browser, url ?? '');
      await page.goto(link ?? '');
      await page.getByRole('link', { name: 'Processes' }).click();
      await page.getByRole('region', { name: 'Recommended: end' }).getByRole('link').first().click();
      const view = page.getByRole('region', { name: 'Selected process' });
      await view
        .getByText(/times as likely if abandoned/u)
        .first()
        .waitFor();
      await view.getByRole('button', { name: 'End process' }).click();
      await view.getByText(/kill process \d+:[\d.]+: passes all gates/u).waitFor();
      await view.getByRole('button', { name: 'Confirm: end process' }).click();
      await page.getByText('The actions were executed').waitFor();
      // What is left is one that holds a lock, which is named in words.
      const review = page.getByRole('region', { name: 'Review first' });
      await review.getByRole('link', { name: /mcp-server-locked/u }).click();
      await view.getByText('Not ended, because').waitFor();
      await view
        .getByText(/file lock/u)
        .first()
        .waitFor();
      expect(await view.getByRole('button', { name: 'End', exact: true }).isDisabled()).toBe(true);
      await view.getByRole('button', { name: 'Protect mcp-server-locked' }).click();
      await view.getByRole('button', { name: 'Confirm: protect mcp-server-locked' }).click();
      const programs = page.getByRole('region', { name: 'Protected programs' });
      await programs.getByText('mcp-server-locked', { exact: true }).waitFor();
      await review.waitFor({ state: 'detached' });
      await programs.getByRole('button', { name: 'Stop protecting mcp-server-locked' }).click();
      await programs.getByRole('button', { name: /^Confirm: stop protecting/u }).click();
      await review.getByRole('link', { name: /mcp-server-locked/u }).waitFor();
      await programs.waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    } finally {
      writeFileSync(join(out, 'stop'), '');
      await browser.close();
    }
    const { left } = await served;
    expect(left?.stdout.trim()).toBe('');
    sandbox.dispose();
  });
});
