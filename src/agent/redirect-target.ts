const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Returns the address that a response redirects to; undefined if it does not redirect. */
export function redirectTarget({ status, headers }: Response, url: URL): URL | undefined {
  const location = REDIRECTS.has(status) ? headers.get('location') : null;
  return location === null ? undefined : (URL.parse(location, url.href) ?? undefined);
}

/** Renders an address without its query, which may contain a key. */
export function renderTarget({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
