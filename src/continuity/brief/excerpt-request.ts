import { excerptOutput } from '../command-output/excerpt-output.ts';
import { chooseSentences } from './choose-sentences.ts';
import { isLimit } from './find-constraints.ts';
import { isRequest } from './is-request.ts';
import { headAndTail } from './head-and-tail.ts';
import { separatePastes } from './pasted-text.ts';
import { splitSentences } from './split-sentences.ts';

/** Matches names, paths, numbers and code, which a reader could not guess. */
const SPECIFIC = /`[^`]+`|[\w-]+[/\\.=_:][\w/-]|\b\d+\b|\b[A-Z_]{3,}\b|[a-z][A-Z]|"[^"]+"/u;

/** An excerpt of what was pasted is shown if it has this many characters. */
const MIN_PASTED = 60;
const GAP = ' … ';

/** Shortens a request: the first sentence names the subject, so it scores highest; limits score lower, because the brief lists them separately. */
export function excerptRequest(request: string, length: number): string {
  const text = request.trim();
  if (text.length <= length) return text;
  const { said, pasted } = separatePastes(text);
  if (pasted === '' || !isRequest(said)) return excerptSentences(text, length);
  const room = Math.min(length - said.length - GAP.length, Math.max(MIN_PASTED, length * 0.4));
  return room < MIN_PASTED ? excerptSentences(said, length) : `${said}${GAP}${excerptOutput(pasted, room)}`;
}

function excerptSentences(text: string, length: number): string {
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
