import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from './build-constants.ts';

let site = '';
beforeAll(() => {
  site = mkdtempSync(join(tmpdir(), 'deed-site-'));
  execFileSync(join(ROOT, 'node_modules/.bin/node'), ['scripts/build-site.ts', site], { cwd: ROOT });
});
afterAll(() => rmSync(site, { recursive: true }));

it('the site has every page, links and anchors that exist, and nothing from another host', () => {
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  );
  expect(files.length).toBeGreaterThan(60);
  const broken = files.flatMap((file) => {
    const html = readFileSync(join(site, file), 'utf8');
    expect(html).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="https?:/u);
    const links = [...html.matchAll(/(?:href|src)="(?![a-z]+:)([^"]+)"/gu)].map(([, link = '']) => link);
    return links
      .filter((link) => {
        const [path = '', fragment] = link.split('#');
        const target = path === '' ? join(site, file) : join(site, dirname(file), path);
        if (!existsSync(target)) return true;
        return fragment !== undefined && !readFileSync(target, 'utf8').includes(`id="${fragment}"`);
      })
      .map((link) => `${file} → ${link}`);
  });
  expect(broken).toEqual([]);
});

it('the search lists the pages that contain every word, those with the words in their title first', () => {
  type Listener = () => void;
  const input = { value: 'git worktrees', listener: (): void => undefined };
  const list = { shown: [] as { textContent: string; href: string }[] };
  const document = {
    currentScript: { dataset: { root: '../' } },
    getElementById: (id: string) =>
      id === 'search'
        ? { ...input, addEventListener: (_: string, listener: Listener) => void (input.listener = listener) }
        : {
            replaceChildren: (...items: { link: { textContent: string; href: string } }[]) =>
              void (list.shown = items.map(({ link }) => link)),
          },
    createElement: (name: string) =>
      name === 'a'
        ? {}
        : {
            append(link: object) {
              Object.assign(this, { link });
            },
          },
  };
  const context = { window: {} as { DEED_PAGES?: unknown }, document };
  for (const file of ['search-index.js', 'search.js'])
    runInNewContext(readFileSync(join(site, file), 'utf8'), context);
  input.listener();
  expect(list.shown[0]).toEqual({
    textContent: 'Moving from git worktrees',
    href: '../moving-from-worktrees.html',
  });
  expect(list.shown.length).toBeLessThanOrEqual(8);
});
