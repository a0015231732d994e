import { chooseSentences } from './choose-sentences.ts';
import { isLimit } from './find-constraints.ts';
import { headAndTail } from './head-and-tail.ts';
import { splitSentences } from './split-sentences.ts';

/** Matches names, paths, numbers and code, which a reader could not guess. */
const SPECIFIC = /`[^`]+`|[\w-]+[/\\.=_:][\w/-]|\b\d+\b|\b[A-Z_]{3,}\b|[a-z][A-Z]|"[^"]+"/u;

/** Shortens a request: the first sentence names the subject, so it scores highest; limits score lower, because the brief lists them separately. */
export function excerptRequest(request: string, length: number): string {
  const text = request.trim();
  if (text.length <= length) return text;
  const sentences = splitSentences(text);
  const last = sentences.length - 1;
  const scored = sentences.map((sentence, at) => ({
    text: sentence,
    score:
      (at === 0 ? 3 : 0) +
      (at === last ? 1 : 0) +
      (SPECIFIC.test(sentence) ? 2 : 0) -
      (isLimit(sentence) ? 1 : 0),
  }));
  const shown = chooseSentences(scored, length);
  // One long sentence, or a paste: its beginning and its end.
  return shown === undefined || shown.length < length * 0.4 ? headAndTail(text, length) : shown;
}
