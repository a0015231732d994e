/** A sentence of a text, in its order, and how useful it is. */
export interface ScoredSentence {
  readonly text: string;
  readonly score: number;
}

/** Joins the most useful sentences that fit into a length, in the order of the text; undefined if none fits. */
export function chooseSentences(sentences: readonly ScoredSentence[], length: number): string | undefined {
  const ranked = [...sentences.entries()].toSorted(
    ([leftAt, left], [rightAt, right]) => right.score - left.score || rightAt - leftAt,
  );
  const chosen = new Set<number>();
  let used = 0;
  for (const [at, { text }] of ranked) {
    const size = text.length + GAP.length + 1;
    if (used + size > length) continue;
    chosen.add(at);
    used += size;
  }
  if (chosen.size === 0) return undefined;
  let shown = '';
  for (const [at, { text }] of sentences.entries()) {
    if (!chosen.has(at)) continue;
    const hasGap = at > 0 && !chosen.has(at - 1);
    shown += `${shown === '' ? '' : ' '}${hasGap ? GAP : ''}${text}`;
  }
  return chosen.has(sentences.length - 1) ? shown : `${shown} …`;
}

const GAP = '… ';
