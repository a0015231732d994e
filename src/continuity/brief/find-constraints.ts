import type { EventRow } from '../events/event.ts';
import type { Constraint } from './brief.ts';

/** Words by which users forbid or require something for good. */
const STRONG =
  /\b(?:never|always|do(?:es)? not|don['’]?t|must(?: not|n['’]?t)?|may not|not allowed|forbidden|under no circumstances|off[- ]limits|hands off|no matter what|from now on|at all times|is read-only)\b|\b(?:nie|niemals|immer|nicht|kein|keine|keinen)\b/iu;
/** Words of narrower limits. */
const WEAK =
  /\b(?:only|avoid|without|keep|leave|make sure|ensure|at most|at least|no more than|no (?:new|other|more|extra)|instead of|stick to|stay (?:with|within|on|in)|should(?: not|n['’]?t)|has to|have to|prefer|not yet|except|unless)\b/iu;
/** Questions and reports use the same words without a limit. */
const NO_LIMIT =
  /^(?:why|what|how|who|where|when|which|is|are|does|did|can|could|would|will|it|this|that|i|there|the tests?)\b.*(?:\?|\b(?:does not|doesn['’]?t|don['’]?t|do not) (?:work|know|see|understand|think|remember|compile|build|pass|run|load|start)\b)/iu;

const MAX_CHARACTERS = 240;

/** Finds the sentences of prompts in which a user set a limit: those for good first, each group newest first, each sentence once. */
export function findConstraints(prompts: readonly EventRow[]): Constraint[] {
  const seen = new Set<string>();
  const found: { readonly constraint: Constraint; readonly strong: boolean }[] = [];
  for (const { id, message, created_at } of prompts) {
    for (const text of sentencesOf(message)) {
      const strong = STRONG.test(text);
      if ((!strong && !WEAK.test(text)) || NO_LIMIT.test(text)) continue;
      const same = text.toLowerCase().replaceAll(/\W+/gu, ' ');
      if (seen.has(same)) continue;
      seen.add(same);
      found.push({ constraint: { event_id: String(id), text, created_at }, strong });
    }
  }
  return [...found.filter(({ strong }) => strong), ...found.filter(({ strong }) => !strong)].map(
    ({ constraint }) => constraint,
  );
}

function sentencesOf(prompt: string): string[] {
  return prompt
    .split(/\n+|(?<=[.!?;])\s+/u)
    .map((sentence) => sentence.replace(/^[\s>*#\d.)-]+/u, '').trim())
    .filter((sentence) => sentence.length >= 8 && sentence.length <= MAX_CHARACTERS);
}
