import { computed, signal } from '@preact/signals';

/** The address of the page; the only place where selection and filters are kept. */
const address = signal(read());

export const path = computed(() => address.value.path);
export const query = computed(() => address.value.query);

/** Opens a page of ours without a request. */
export function open(href: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace === true) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  address.value = read();
}

/** Changes members of the query; an undefined value removes its member. */
export function select(members: Readonly<Record<string, string | undefined>>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  open(text === '' ? location.pathname : `${location.pathname}?${text}`, { replace: true });
}

/** Follows links to our own pages, and the buttons of the browser. */
export function startRouter(): void {
  addEventListener('popstate', () => (address.value = read()));
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (link === null || !isPlain || event.defaultPrevented) return;
    event.preventDefault();
    const href = link.getAttribute('href') ?? '/';
    const isOtherPage = new URL(href, location.href).pathname !== location.pathname;
    open(href);
    if (isOtherPage) scrollTo(0, 0);
  });
}

function read(): { readonly path: string; readonly query: URLSearchParams } {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}
