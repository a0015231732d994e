import { posix } from 'node:path';
import { Marked } from 'marked';

export interface Page {
  /** The path below docs/, without the extension. */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
}

export interface Section {
  readonly name: string;
  readonly pages: readonly Page[];
}

const REPOSITORY = 'https://github.com/deed-cli/deed/blob/main';

/** Renders one page of the site. Links between pages become relative; those to other files lead to the repository. */
export function renderPage(page: Page, sections: readonly Section[]): string {
  const pages = new Set(sections.flatMap((section) => section.pages.map(({ path }) => path)));
  const up = '../'.repeat(page.path.split('/').length - 1);
  const marked = new Marked({
    walkTokens: (token) => {
      if (token.type === 'link' || token.type === 'image')
        token.href = resolveLink(token.href as string, page, pages);
    },
  });
  const body = anchor(marked.parse(page.markdown, { async: false }));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · deed</title>
<link rel="stylesheet" href="${up}style.css">
<header><a href="${up}index.html">deed</a> <input id="search" type="search" placeholder="Search" aria-label="Search the docs"><ul id="found"></ul></header>
<nav aria-label="Pages">${sections.map((section) => renderSection(section, page, up)).join('')}</nav>
<main>${body}</main>
<script src="${up}search-index.js"></script>
<script src="${up}search.js" data-root="${up}"></script>
</html>
`;
}

function renderSection({ name, pages }: Section, current: Page, up: string): string {
  const open = pages.some(({ path }) => path === current.path) ? ' open' : '';
  const links = pages.map(({ path, title }) => {
    const mark = path === current.path ? ' aria-current="page"' : '';
    return `<li><a href="${up}${path}.html"${mark}>${escapeHtml(title)}</a></li>`;
  });
  return `<details${open}><summary>${name}</summary><ul>${links.join('')}</ul></details>`;
}

function resolveLink(href: string, page: Page, pages: ReadonlySet<string>): string {
  if (/^(?:[a-z]+:|#)/u.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = posix.join('docs', posix.dirname(page.path), path);
  const name = target.replace(/^docs\//u, '').replace(/\.md$/u, '');
  const end = fragment === undefined ? '' : `#${fragment}`;
  if (pages.has(name)) return `${path.replace(/\.md$/u, '.html')}${end}`;
  if (/^docs\/.*\.(?:svg|png)$/u.test(target)) return href;
  return `${REPOSITORY}/${target}${end}`;
}

/** Headings get the same anchors as on GitHub. */
function anchor(html: string): string {
  return html.replaceAll(/<h([1-4])>(.*?)<\/h\1>/gu, (_, level: string, text: string) => {
    const id = text
      .replaceAll(/<[^>]+>/gu, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    return `<h${level} id="${id}">${text}</h${level}>`;
  });
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
