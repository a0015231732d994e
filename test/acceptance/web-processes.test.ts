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
'${executable()[0]}' web --link-file "$OUT/link.json" --stop-after 2m > /dev/null 2>&1 &
until [ -e "$OUT/stop" ]; do sleep 0.1; done
record left $(alive $ORPHANS)
kill %1; wait
`;

async function waitForFile(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(50);
}

describe.runIf(CHROMIUM !== undefined && namespaceCommand !== null)('the page of processes', () => {
  it.runIf(LONG)('shows evidence and vetoes, and ends a process after its dry run', async () => {
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
      await page.getByRole('region', { name: 'Left running: end' }).getByRole('link').first().click();
      const view = page.getByRole('region', { name: 'Selected process' });
      await view
        .getByText(/times as likely if abandoned/u)
        .first()
        .waitFor();
      await view.getByRole('button', { name: 'End process' }).click();
      await view.getByText(/kill process \d+:[\d.]+: passes all gates/u).waitFor();
      await view.getByRole('button', { name: 'Confirm: end process' }).click();
      await page.getByText('The actions were executed').waitFor();
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
