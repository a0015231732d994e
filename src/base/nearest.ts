/** Finds the most likely candidate for a typo, or undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  // Two changes of four letters make another word.
  const tolerance = word.length <= 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  let bestDistance = tolerance + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.slice(0, 64), candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Orders candidates by how near they are to a word; those equally near keep their order. */
export function nearestFirst(word: string, candidates: readonly string[]): string[] {
  const measured = candidates.map((candidate) => ({
    candidate,
    distance: editDistance(word.slice(0, 64), candidate),
  }));
  return measured.toSorted((a, b) => a.distance - b.distance).map(({ candidate }) => candidate);
}

/** Counts insertions, deletions, substitutions and swaps of neighbours between two words (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = isSwap ? (beforePrevious[j - 2] ?? 0) + 1 : substitution;
      current.push(Math.min(substitution, swap, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
