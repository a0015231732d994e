import { chooseSentences, type ScoredSentence } from './choose-sentences.ts';
import { headAndTail } from './head-and-tail.ts';
import { splitSentences } from './split-sentences.ts';

/** What the next session needs from the last message of an agent: the next step, open points, proposals, decisions, what failed. */
const NEXT =
  /\b(?:next|to-?do|remaining|remains?|still|open|left|missing|pending|not yet|follow[- ]?up|afterwards?|later|tomorrow|then)\b|(?:als )?nächste/iu;
const ASKS =
  /\?\s*$|\b(?:shall i|should i|do you want|would you like|i (?:suggest|propose|recommend|would))\b/iu;
const DECIDES =
  /\b(?:decid\w+|decision|chose|agreed|instead of|because|ruled out|does(?:n['’]t| not) (?:work|help)|did(?:n['’]t| not) (?:work|help)|blocked|fail(?:s|ed|ing|ure)?|red|broken|uncommitted|committed|pushed)\b/iu;

/** Shortens a message to its useful sentences, in their order. Code blocks and tables are left out first. */
export function excerptMessage(message: string, length: number): string {
  if (message.length <= length) return message.trim();
  const prose = message.replaceAll(/^```[\s\S]*?(?:^```|$(?![\s\S]))/gmu, '').replaceAll(/^\s*\|.*$/gmu, '');
  const sentences = sentencesOf(prose);
  if (sentences.length === 0) return headAndTail(message.trim(), length);
  return chooseSentences(sentences, length) ?? headAndTail(sentences.at(-1)?.text ?? message, length);
}

/** Scores each sentence; items below a heading such as "Next steps:" count like the heading. */
function sentencesOf(prose: string): ScoredSentence[] {
  const paragraphs = prose.split(/\n\s*\n/u).filter((text) => text.trim() !== '');
  const scored: ScoredSentence[] = [];
  let isBelowNext = false;
  for (const [index, paragraph] of paragraphs.entries()) {
    for (const line of paragraph.split('\n')) {
      const isItem = /^\s*(?:[*•-]|\d{1,2}[.)])\s/u.test(line);
      const isHeading = /^\s*(?:#+ .*|[^.!?]{1,60}:|\*\*[^*]+\*\*:?)\s*$/u.test(line);
      if (!isItem) isBelowNext = isHeading && NEXT.test(line);
      for (const text of splitSentences(line)) {
        const isLast = index === paragraphs.length - 1;
        const score = scoreOf(text) + (isLast ? 1 : 0) + (isItem && isBelowNext ? 4 : 0);
        scored.push({ text, score });
      }
    }
  }
  return scored;
}

function scoreOf(sentence: string): number {
  return (NEXT.test(sentence) ? 4 : 0) + (ASKS.test(sentence) ? 3 : 0) + (DECIDES.test(sentence) ? 2 : 0);
}
