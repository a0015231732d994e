import { TagScanner } from './tag-scanner.ts';

/** A tag in a model's response. */
export interface Tag {
  readonly slot: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly payload: string;
  readonly closed: boolean;
}

/** Splits the text of a response into its tags and the text outside them. */
export function parseTags(response: string, nonce: string): { tags: readonly Tag[]; text: string } {
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
  scanner.push(response);
  scanner.end();
  return { tags, text };
}
