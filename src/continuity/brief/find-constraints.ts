import type { EventRow } from '../events/event.ts';
import type { Constraint } from './brief.ts';
import { separatePastes } from './pasted-text.ts';
import { clausesAround, splitSentences } from './split-sentences.ts';

/** Words by which users forbid or require something permanently. */
const STANDING =
  /\b(?:(?<!\b(?:can|could|will|would|was|has|have|had|it|that) )never|always|(?<!\b(?:for|if) )ever(?! since)|under no circumstances|off[- ]limits|hands off|no matter what|from now on|at all times|until further notice|in general|as a rule|is read-only|may not|not allowed|forbidden|is frozen|freeze|we (?:don['’]?t|do not|never) (?:use|want|do|allow)|without (?:asking|my (?:ok|okay|approval|permission|consent)))\b|\bIMPORTANT\b|\b(?:nie|niemals|immer|verboten)\b/iu;
/** Words by which users lift a limit. */
const LIFTED =
  /\b(?:(?:you|we) (?:may|can) now|now (?:you|we) (?:may|can)|(?:is|are) (?:now )?(?:allowed|lifted|over|fine now|ok(?:ay)? now|no longer)|no longer (?:applies|needed|forbidden|necessary|off[- ]limits)|forget (?:about|what|the)|ignore what i said|(?:does|do)(?:n['’]?t| not) apply any ?more|changed (?:my|her|his|our|their) mind|scrap (?:that|the)|lifted)\b/iu;
/** Words by which users forbid something. */
const FORBIDDEN =
  /\b(?:do not|don['’]?t(?=\s+\w)|must(?: not|n['’]?t)|should(?: not|n['’]?t)|can(?:not|['’]?t) (?:use|touch|change|upgrade|add)|avoid|stop (?!here|now)\w+ing|(?:is|are) not (?:wanted|ok(?:ay)?|needed|an option|acceptable)|ask \S+ (?:first|before)|before (?:touching|changing|merging|pushing|deploying)|wait (?:for|until)|stay away|keep (?:out|away|your hands)|leave\b.{1,60}\b(?:alone|as (?:it|they|is)|untouched|for now|red|out)|instead of|rather than|no more than|not yet|drop the|get rid of|nicht|kein|keine|keinen|ohne)\b|(?:^|[,:;(!.–—-]\s*|\b(?:and|but|please|so|or|then|with|there (?:is|are|must be)|use|add|want|need)\s+)(?:absolutely )?no (?!(?:idea|problem|need|worries|matter|one|clue|rush|doubt|longer|change)\b)[\p{L}\p{N}_`"'@./-]{2,}|(?:^|[,;.–—-]\s*|\bbut )not (?!sure|bad|yet|like that|that|this|really|only)\S+/iu;
/** Words of narrower limits. */
const NARROW =
  /\b(?:only|without|keep|make sure|ensure|at most|at least|stick (?:to|with)|stay (?:with|within|on|in)|has to|have to|must|prefer|except|unless|remember|can stay|leave)\b/iu;
/** The same in other languages, at the start of a clause: elsewhere these words are parts of reports. */
const OTHER_LANGUAGES =
  /(?:^|[,;:.!]\s*|\s(?:et|y|e|и|но)\s)(?:(?:por favor|пожалуйста|per favore),?\s+)?(?:n(?:e\s|['’])\p{L}+\s(?:pas|jamais|plus|rien)(?!\p{L})|jamais\s|(?:nunca|siempre|sempre|jamás|não|mai|никогда|всегда|нельзя|не|nie|nigdy|zawsze|nooit|altijd)\s\p{L}|no\s(?:uses|toques|cambies|modifiques|borres|hagas|añadas|subas|instales)(?!\p{L}))|不要|不得|不许|禁止|请勿|切勿|绝不|绝对不|必须|只能|务必|别(?=[用改动删碰])|しないで|ないでください|必ず|絶対に|지\s?마(?!\p{L})|지\s?마세요|금지|반드시/iu;
/** What users report, in the words of limits. */
const REPORTED =
  /\b(?:i|it|he|she|they|this|that|there)(?:['’]s)? (?:always|never|only|have to|has to)\b(?! (?:want|need|prefer|expect|like|ask|be|use))|\bnever ?mind\b|\bdon['’]?t worry\b|\bmake sure it works\b/giu;
/** What a program does, or ought to do. */
const DESCRIBES =
  /\b(?:the|an?|my|our|your|this|that|every|each)\s+(?:[\w./-]+\s+){1,3}(?:always|never)\s+\w+s\b/iu;
/** Questions and reports use the same words without a limit. */
const NO_LIMIT =
  /^(?:why|what|how|who|where|when|which|is|are|does|did|can|could|would|will|it|this|that|i|there|the tests?)\b.*(?:\?|\b(?:does not|doesn['’]?t|don['’]?t|do not) (?:work|know|see|understand|think|remember|compile|build|pass|run|load|start)\b)/iu;
/** What a program has to do is a part of a task, not a limit for the agent. */
const SPECIFIES =
  /\b(?:it|this|that|they|there|which|(?:the|a|an|every|each|all|any)\s+[\p{L}\p{N}_./-]+(?:\s[\p{L}\p{N}_./-]+){0,3})\s+(?:must|should|has to|have to|may|can)(?:n['’]t| not)?\s/iu;

const KINDS: readonly { readonly pattern: RegExp; readonly rank: number }[] = [
  { pattern: LIFTED, rank: 0 },
  { pattern: STANDING, rank: 0 },
  { pattern: FORBIDDEN, rank: 1 },
  { pattern: OTHER_LANGUAGES, rank: 1 },
  { pattern: NARROW, rank: 2 },
];
const SPECIFICATION_RANK = 3;
const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 200;

/** Finds the sentences of prompts in which a user set or lifted a limit: permanent ones first, each group newest first, each sentence once. */
export function findConstraints(prompts: readonly EventRow[]): Constraint[] {
  const seen = new Set<string>();
  const found: { readonly constraint: Constraint; readonly rank: number }[] = [];
  for (const { id, message, created_at } of prompts) {
    for (const sentence of splitSentences(separatePastes(message).said)) {
      const limit = limitIn(sentence);
      if (limit === undefined) continue;
      const same = limit.text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
      if (seen.has(same)) continue;
      seen.add(same);
      const constraint = { event_id: String(id), text: limit.text, created_at };
      found.push({ constraint, rank: limit.rank });
    }
  }
  return found.toSorted((left, right) => left.rank - right.rank).map(({ constraint }) => constraint);
}

/** Whether a sentence is shown among the limits. */
export function isLimit(sentence: string): boolean {
  return limitIn(sentence) !== undefined;
}

function limitIn(sentence: string): { text: string; rank: number } | undefined {
  if (NO_LIMIT.test(sentence)) return undefined;
  const said = sentence.replaceAll(REPORTED, '');
  const kind = KINDS.find(({ pattern }) => pattern.test(said));
  if (kind === undefined || (sentence.length < MIN_CHARACTERS && kind.pattern !== OTHER_LANGUAGES))
    return undefined;
  const isSpecified = (kind.rank > 0 && SPECIFIES.test(sentence)) || DESCRIBES.test(sentence);
  return {
    text: clausesAround(sentence, kind.pattern, MAX_CHARACTERS),
    rank: isSpecified ? SPECIFICATION_RANK : kind.rank,
  };
}
