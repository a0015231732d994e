/**
 * Resolves the imports of this project from their paths. The default looks each path up on the disk, and vitest reports each import to its
 * main process, which needs that only to watch files.
 */
import { registerHooks } from 'node:module';

const worker = globalThis as { hasDirectImports?: boolean };

if (!worker.hasDirectImports) {
  worker.hasDirectImports = true;
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const { parentURL } = context;
      const isOwn = parentURL !== undefined && specifier.startsWith('.') && specifier.endsWith('.ts');
      if (!isOwn || parentURL.includes('/node_modules/')) return nextResolve(specifier, context);
      return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
    },
  });
}
