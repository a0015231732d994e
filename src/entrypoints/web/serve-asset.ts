import type { Context } from 'hono';
import { WEB_ASSETS } from './web-assets.ts';

/** Answers with a file of the pages; their names change with their content, so browsers may keep them. */
export function serveAsset(context: Context): Response {
  const asset = Object.hasOwn(WEB_ASSETS.files, context.req.path)
    ? WEB_ASSETS.files[context.req.path]
    : undefined;
  if (asset === undefined) return context.json({ message: 'Unknown file.' }, 404);
  const headers = {
    'content-type': asset.type,
    'cache-control': 'public, max-age=31536000, immutable',
    etag: asset.etag,
    vary: 'accept-encoding',
  };
  if (context.req.header('if-none-match') === asset.etag) return context.body(null, 304, headers);
  const accepted = context.req.header('accept-encoding') ?? '';
  // Every browser accepts one of them; a client that names neither gets gzip.
  const encoding = /\bbr\b/u.test(accepted) ? 'br' : 'gzip';
  const body = Buffer.from(encoding === 'br' ? asset.br : asset.gzip, 'base64');
  return context.body(body, 200, { ...headers, 'content-encoding': encoding });
}

const PAGES = /^\/(?:|sign-in|inbox|jobs|tasks|sessions|journal|processes|trust|jobs\/[\w-]+)$/u;

/** Answers with the HTML page, whose script renders the view for the path. The theme is set in the HTML, so that the page does not flash in another theme first. */
export function servePage(context: Context, theme: string | undefined): Response {
  const known = theme === 'light' || theme === 'dark' ? theme : 'auto';
  const html = WEB_ASSETS.html.replace('data-theme="auto"', `data-theme="${known}"`);
  return context.html(html, PAGES.test(context.req.path) ? 200 : 404, { 'cache-control': 'no-cache' });
}
