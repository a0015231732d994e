const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    css: 'text/css',
    csv: 'text/csv',
    gif: 'image/gif',
    html: 'text/html',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    js: 'text/javascript',
    json: 'application/json',
    log: 'text/plain',
    md: 'text/markdown',
    pdf: 'application/pdf',
    png: 'image/png',
    svg: 'image/svg+xml',
    ts: 'text/typescript',
    txt: 'text/plain',
    xml: 'application/xml',
    yaml: 'application/yaml',
    yml: 'application/yaml',
    zip: 'application/zip',
  }),
);

/** Guesses the content type of a file from its extension. */
export function contentTypeOf(path: string): string {
  const extension = /\.([a-z0-9]+)$/iu.exec(path)?.[1]?.toLowerCase() ?? '';
  return TYPES.get(extension) ?? 'application/octet-stream';
}
