import { rolldown, type OutputChunk } from 'rolldown';
import { buildConstants, ROOT } from './build-constants.ts';

export interface BundleOptions {
  /** Output names with their source files, relative to the repository. */
  readonly entries: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly format: 'cjs' | 'esm';
  readonly define?: Readonly<Record<string, string>> | undefined;
  /** The oldest runtime that must read the output. */
  readonly target?: string;
  readonly external?: readonly RegExp[];
}

/** Executables, their entrypoints and their dialects: each stays a file of its own, since a start needs one of them. */
const OWN =
  /[\\/]src[\\/](?:bin|dialects)[\\/]|[\\/]src[\\/]entrypoints[\\/]cli[\\/](?:deed|vybe|pt|ai-agent)\.ts$/u;

/** What most commands of the store share, and nothing that only some of them need. */
const STORE =
  /[\\/]src[\\/](?:continuity[\\/](?!database[\\/]sqlite[\\/]sqlite-builder|hooks|loop|store|brief|focus)|commands[\\/]continuity[\\/](?:define-journal-write|open-store|text-parameters|parameters|read-memory|task-plan))/u;

/**
 * Bundles source files into a folder. Whatever every start needs is one chunk, the kernel, because each further file costs time;
 * what is imported where it is used stays apart. Returns the chunks with the modules in them.
 */
export async function bundle(options: BundleOptions): Promise<readonly OutputChunk[]> {
  const extension = options.format === 'cjs' ? 'cjs' : 'js';
  const build = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { ...options.entries },
    // Native code is installed beside the libraries; the executable calls the system through Bun instead.
    external: [/^koffi$/u, ...(options.external ?? [])],
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
          { name: 'kernel', tags: ['$initial'], test: (id) => !OWN.test(id) },
          { name: 'store', test: (id) => STORE.test(id) },
        ],
      },
    });
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await build.close();
  }
}
