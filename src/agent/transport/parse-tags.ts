import { TagScanner } from './tag-scanner.ts';

/** A tag that a model wrote. */
export interface Tag {
  readonly slot: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly payload: string;
  readonly closed: boolean;
}

/** Splits a whole answer into its tags and the text around them. */
export function parseTags(answer: string, nonce: string): { tags: readonly Tag[]; text: string } {
  const tags: {
    slot: string;
    attributes: Readonly<Record<string, string>>;
    payload: string;
    closed: boolean;
  }[] = [];
  let text = '';
  const scanner = new TagScanner(nonce, (piece) => {
    const tag = tags.at(-1);
    if (piece.kind === 'text') text += piece.text;
    else if (piece.kind === 'open') {
      tags.push({ slot: piece.slot, attributes: piece.attributes, payload: '', closed: false });
    } else if (tag !== undefined && piece.kind === 'content') tag.payload += piece.text;
    else if (tag !== undefined) tag.closed = true;
  });
  scanner.push(answer);
  scanner.end();
  return { tags, text };
}
