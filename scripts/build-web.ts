/** Builds the web pages into the value that the executable contains: compressed files, and the HTML page that names them. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';
import { rolldown } from 'rolldown';
import type { Asset, WebAssets } from '../src/entrypoints/web/web-assets.ts';
import { ROOT } from './build-constants.ts';

const SOURCE = join(ROOT, 'web');

export interface BuiltWeb {
  readonly assets: WebAssets;
  /** The modules of the scripts, for the licences. */
  readonly modules: readonly string[];
  /** The scripts that the first view loads, by path. */
  readonly firstScripts: readonly string[];
}

export async function buildWeb(): Promise<BuiltWeb> {
  const files: Record<string, Asset> = {};
  const { scripts, modules, main } = await bundleScripts();
  for (const [path, text] of scripts) files[path] = compress(text, 'text/javascript; charset=utf-8');
  const style = add(files, 'style', 'css', readStyle(), 'text/css; charset=utf-8');
  const icon = add(files, 'icon', 'svg', readFileSync(join(SOURCE, 'icon.svg'), 'utf8'), 'image/svg+xml');
  const html = readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replace('/style.css', style)
    .replace('/icon.svg', icon)
    .replace('/main.js', main.path);
  return { assets: { html, files }, modules, firstScripts: [main.path, ...main.imports] };
}

interface Scripts {
  readonly scripts: readonly (readonly [path: string, text: string])[];
  readonly modules: readonly string[];
  readonly main: { readonly path: string; readonly imports: readonly string[] };
}

async function bundleScripts(): Promise<Scripts> {
  const build = await rolldown({
    cwd: SOURCE,
    platform: 'browser',
    input: { main: 'main.tsx' },
    tsconfig: join(SOURCE, 'tsconfig.json'),
    transform: { target: 'es2023' },
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      entryFileNames: 'assets/[name]-[hash].js',
      chunkFileNames: 'assets/[name]-[hash].js',
      minify: true,
      comments: false,
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (entry === undefined) throw new Error('the pages have no entry');
    return {
      scripts: chunks.map(({ fileName, code }) => [`/${fileName}`, code]),
      modules: chunks.flatMap(({ moduleIds }) => moduleIds),
      main: { path: `/${entry.fileName}`, imports: entry.imports.map((name) => `/${name}`) },
    };
  } finally {
    await build.close();
  }
}

/** All style sheets in the order of their names. */
function readStyle(): string {
  const sheets = globSync('style/*.css', { cwd: SOURCE }).sort();
  const text = sheets.map((name) => readFileSync(join(SOURCE, name), 'utf8')).join('\n');
  return transformSync(text, { loader: 'css', minify: true, target: 'chrome123' }).code;
}

/** Adds a file under a name with the hash of its content. */
function add(
  files: Record<string, Asset>,
  name: string,
  extension: string,
  text: string,
  type: string,
): string {
  const path = `/assets/${name}-${hashOf(text).slice(0, 8)}.${extension}`;
  files[path] = compress(text, type);
  return path;
}

function compress(text: string, type: string): Asset {
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  return {
    type,
    etag: `"${hashOf(text).slice(0, 32)}"`,
    br: brotliCompressSync(text, { params: quality }).toString('base64'),
    gzip: gzipSync(text, { level: 9 }).toString('base64'),
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

if (import.meta.main) {
  const { assets, firstScripts } = await buildWeb();
  for (const [path, { br }] of Object.entries(assets.files)) {
    const size = Buffer.from(br, 'base64').length;
    console.log(`${path} ${size}${firstScripts.includes(path) ? ' (first view)' : ''}`);
  }
}
