import { oncePer } from '../../base/once-per.ts';
import type { Parameters } from '../parameters/model-parameters.ts';

export interface Signature {
  readonly name: string;
  readonly kind: string;
}

/** How much of a command is matched; limits the cost of patterns on untrusted text. */
const MATCHED_CHARACTERS = 1024;

export type MatchSignature = (command: readonly string[] | null, comm: string) => Signature | undefined;

const compile = oncePer((signatures: Parameters['signatures']) =>
  signatures.map(({ name, kind, pattern }) => ({
    signature: { name, kind },
    pattern: new RegExp(pattern, 'u'),
  })),
);

/** Creates a matcher for the built-in and user signatures; the first match is used. It caches its results, so it is for one snapshot. */
export function createSignatureMatcher(parameters: Pick<Parameters, 'signatures'>): MatchSignature {
  const compiled = compile(parameters.signatures);
  // Suspects have many ancestors in common, so matches are cached.
  const known = new Map<string, Signature | undefined>();
  return (command, comm) => {
    const text = command === null || command.length === 0 ? comm : commandText(command);
    if (!known.has(text)) known.set(text, compiled.find(({ pattern }) => pattern.test(text))?.signature);
    return known.get(text);
  };
}

function commandText(command: readonly string[]): string {
  return command.join(' ').slice(0, MATCHED_CHARACTERS);
}
