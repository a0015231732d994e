import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/** Modules that contain only data: the tables of the tokenizers, as an array of 200,000 texts and lists. */
const DATA = /[\\/]gpt-tokenizer[\\/]esm[\\/]bpeRanks[\\/]\w+\.js$/u;

/**
 * Replaces each data module with a JSON text that is parsed when it is imported. As bytecode, every element of an array is a separate constant,
 * and every start of an executable with these tables takes 3 to 5 % longer, although it does not use them.
 */
export function dataModules(): Plugin {
  return {
    name: 'data-modules',
    load: {
      filter: { id: DATA },
      async handler(id) {
        const { default: data } = (await import(pathToFileURL(id).href)) as { readonly default: unknown };
        return `export default JSON.parse(${JSON.stringify(JSON.stringify(data))});`;
      },
    },
  };
}
