import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openPage, PHONE, WIDE } from '../test/fixtures/browser.ts';
import type { WebServer } from '../test/fixtures/web-server.ts';
import { toPalettePng } from './palette-png.ts';

interface View {
  readonly name: string;
  readonly path: string;
}

/** Draws pages wide and on a phone, in light and dark, as `<name>-<size>-<theme>.png`. */
export async function drawViews(
  browser: Browser,
  { url, link }: WebServer,
  views: readonly View[],
  folder: string,
): Promise<void> {
  for (const size of ['wide', 'phone'] as const)
    for (const theme of ['light', 'dark'] as const) {
      const { page } = await openPage(browser, url, {
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
        writeFileSync(join(folder, `${name}-${size}-${theme}.png`), toPalettePng(await page.screenshot()));
      }
      await page.context().close();
    }
}

async function settle(page: Page): Promise<void> {
  await page.locator('.live:not(.off)').waitFor();
  await page
    .locator('.row, .diff-file, .log-line, .card, .line-row, .memory-row, .node')
    .filter({ visible: true })
    .first()
    .waitFor();
  await page.waitForTimeout(1500);
}
