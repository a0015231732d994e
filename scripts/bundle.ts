import { rolldown, type OutputChunk } from 'rolldown';
import { buildConstants, ROOT } from './build-constants.ts';
import { dataModules } from './data-modules.ts';

export interface BundleOptions {
  /** Output names with their source files, relative to the repository. */
  readonly entries: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly format: 'cjs' | 'esm';
  readonly define?: Readonly<Record<string, string>> | undefined;
  /** The oldest supported runtime. */
  readonly target?: string;
  readonly external?: readonly RegExp[];
}

/** Executables, entrypoints and dialects: each is a separate file, because a start needs only one of them. */
const SEPARATE =
  /[\\/]src[\\/](?:bin|dialects)[\\/]|[\\/]src[\\/]entrypoints[\\/]cli[\\/](?:deed|vybe|pt|ai-agent)\.ts$/u;

/** What every write needs, and no read. */
const WRITE = /[\\/]src[\\/]contract[\\/]run-write\.ts$/u;

/** Modules of the store; not the compiler of queries, and not Postgres, which only its users need. */
const STORE =
  /[\\/]src[\\/](?:continuity[\\/](?!database[\\/](?:sqlite[\\/]sqlite-builder|postgres|compile-query|store-address)|hooks|loop|store|brief|focus|memory[\\/]search)|commands[\\/]continuity[\\/](?:define-journal-write|open-store|text-parameters|parameters|read-memory|task-plan))/u;

/** What tasks and memories in parameters need: small modules of many commands, which would be a chunk each. */
const PARAMETERS =
  /[\\/]src[\\/](?:contract[\\/]id-prefix|commands[\\/]continuity[\\/](?:task-ids|parse-memory))\.ts$/u;

/** How many chunks need a module that is common: what only imports or merges need stays out of the chunk of the store. */
const COMMON = 10;

/**
 * Bundles source files into a folder. The code of every start is one chunk, the kernel, because each file costs time; dynamic imports are
 * separate chunks. Returns the chunks with their modules.
 */
export async function bundle(options: BundleOptions): Promise<readonly OutputChunk[]> {
  const extension = options.format === 'cjs' ? 'cjs' : 'js';
  const build = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { ...options.entries },
    plugins: [dataModules()],
    // Native code is a dependency of the libraries; the executable calls the system through Bun instead.
    external: [/^koffi$/u, ...(options.external ?? [])],
    // Its main file loads parts of itself in a way that no bundler can follow.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    transform: { target: options.target ?? 'node22', define: buildConstants(options.define) },
  });
  try {
    const { output } = await build.write({
      dir: options.folder,
      cleanDir: true,
      format: options.format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name]-[hash].${extension}`,
      minify: true,
      comments: false,
      codeSplitting: {
        groups: [
          { name: 'kernel', tags: ['$initial'], test: (id) => !SEPARATE.test(id) },
          { name: 'write', test: WRITE },
          { name: 'store', test: (id) => STORE.test(id), minShareCount: COMMON },
          { name: 'parameters', test: PARAMETERS },
        ],
      },
    });
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await build.close();
  }
}
