import type { Parameters } from '../parameters/model-parameters.ts';

export interface Signature {
  readonly name: string;
  readonly kind: string;
}

/** What is matched of a command; patterns are run over text that strangers wrote. */
const MATCHED_CHARACTERS = 1024;

export type MatchSignature = (command: readonly string[] | null, comm: string) => Signature | undefined;

/** Prepares the shipped and the user's signatures; the first that matches counts. */
export function createSignatureMatcher(parameters: Pick<Parameters, 'signatures'>): MatchSignature {
  const compiled = parameters.signatures.map(({ name, kind, pattern }) => ({
    signature: { name, kind },
    pattern: new RegExp(pattern, 'u'),
  }));
  // Every suspect asks about all its ancestors, which are mostly the same ones.
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
