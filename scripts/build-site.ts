/**
 * Builds the docs as a static site with search:
 *   node scripts/build-site.ts [folder]      by default dist/site
 */
import { cpSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './build-constants.ts';
import { pagesOf, SITE_MAP } from './site/site-map.ts';
import { renderPage, type Page, type Section } from './site/render-page.ts';

const DOCS = join(ROOT, 'docs');
const out = process.argv[2] ?? join(ROOT, 'dist/site');

const sections = readSections();
const start = readPage('../README', 'deed');
rmSync(out, { recursive: true, force: true });
for (const page of sections.flatMap(({ pages }) => pages))
  write(`${page.path}.html`, renderPage(page, sections));
write(
  'index.html',
  renderPage({ ...start, path: 'index', markdown: start.markdown.replaceAll('](docs/', '](') }, sections),
);
write('search-index.js', `window.DEED_PAGES = ${JSON.stringify(searchIndex(sections))};\n`);
for (const file of ['style.css', 'search.js'])
  copyFileSync(join(ROOT, 'scripts/site', file), join(out, file));
cpSync(join(DOCS, 'images'), join(out, 'images'), { recursive: true });
copyFileSync(join(DOCS, 'demo.svg'), join(out, 'demo.svg'));

function readSections(): readonly Section[] {
  const all = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .toSorted((one, two) => (one < two ? -1 : 1));
  const listed = Object.entries(SITE_MAP).map(([name, patterns]) => ({
    name,
    pages: pagesOf(patterns, all).map((path) => readPage(path)),
  }));
  const known = new Set(listed.flatMap(({ pages }) => pages.map(({ path }) => path)));
  const missing = all.filter((path) => !known.has(path));
  if (missing.length > 0)
    throw new Error(`pages in no section of scripts/site/site-map.ts: ${missing.join(', ')}`);
  return listed;
}

function readPage(path: string, title?: string): Page {
  const markdown = readFileSync(join(DOCS, `${path}.md`), 'utf8');
  return { path, markdown, title: title ?? /^# (.+)$/mu.exec(markdown)?.[1]?.replaceAll('`', '') ?? path };
}

/** The text of each page, in lower case and without markup. */
function searchIndex(sections: readonly Section[]): readonly { path: string; title: string; text: string }[] {
  return sections
    .flatMap(({ pages }) => pages)
    .map(({ path, title, markdown }) => ({
      path,
      title,
      text: markdown
        .replaceAll(/[`*#|>[\]()]/gu, ' ')
        .replaceAll(/\s+/gu, ' ')
        .toLowerCase(),
    }));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}
