import { TagScanner } from './tag-scanner.ts';

export interface StreamFilter {
  readonly push: (chunk: string) => void;
  readonly end: () => void;
}

/** Filters streamed text for display: passes text outside tags and the content of the report, never tags or tool payloads. */
export function createStreamFilter(
  nonce: string,
  show: (channel: 'text' | 'report', text: string) => void,
): StreamFilter {
  const scanner = new TagScanner(nonce, (piece) => {
    if (piece.kind === 'text') show('text', piece.text);
    else if (piece.kind === 'content' && piece.slot === 'FINAL') show('report', piece.text);
  });
  return { push: (chunk) => scanner.push(chunk), end: () => scanner.end() };
}
