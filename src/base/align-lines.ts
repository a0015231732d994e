/** Larger regions without a unique common line are not compared line by line. */
const MAX_CELLS = 4_000_000;

/**
 * Aligns two texts: for each line of the second one, the index of the same line in the first one, or -1 if it was added. Lines that are
 * unique in both texts are the anchors (patience diff); regions between them are compared by their longest common subsequence.
 */
export function alignLines(from: readonly string[], to: readonly string[]): Int32Array {
  const aligned = new Int32Array(to.length).fill(-1);
  alignRegion({ from, to, aligned }, { fromStart: 0, fromEnd: from.length, toStart: 0, toEnd: to.length });
  return aligned;
}

/** The lines of a text, without their line ends. */
export function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The lines of the second text that are not in the first one. */
export function addedLines(from: readonly string[], to: readonly string[]): readonly string[] {
  const aligned = alignLines(from, to);
  return to.filter((_, index) => aligned[index] === -1);
}

interface Texts {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly aligned: Int32Array;
}

interface Region {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

function alignRegion(texts: Texts, whole: Region): void {
  const pending = [whole];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const region = alignEnds(texts, next);
    if (region.fromStart === region.fromEnd || region.toStart === region.toEnd) continue;
    const anchors = findAnchors(texts, region);
    if (anchors.length === 0) alignSubsequence(texts, region);
    else pending.push(...splitAt(region, anchors));
    for (const [from, to] of anchors) texts.aligned[to] = from;
  }
}

/** Aligns equal lines at both ends and returns the rest. */
function alignEnds({ from, to, aligned }: Texts, { fromStart, fromEnd, toStart, toEnd }: Region): Region {
  let [first, second, firstEnd, secondEnd] = [fromStart, toStart, fromEnd, toEnd];
  while (first < firstEnd && second < secondEnd && from[first] === to[second]) {
    aligned[second] = first;
    first += 1;
    second += 1;
  }
  while (first < firstEnd && second < secondEnd && from[firstEnd - 1] === to[secondEnd - 1]) {
    firstEnd -= 1;
    secondEnd -= 1;
    aligned[secondEnd] = firstEnd;
  }
  return { fromStart: first, fromEnd: firstEnd, toStart: second, toEnd: secondEnd };
}

/** The longest increasing sequence of pairs of lines that are unique on both sides. */
function findAnchors({ from, to }: Texts, region: Region): readonly (readonly [number, number])[] {
  const left = uniqueLines(from, region.fromStart, region.fromEnd);
  const right = uniqueLines(to, region.toStart, region.toEnd);
  const piles: { readonly from: number; readonly to: number; readonly before: number }[] = [];
  const tops: number[] = [];
  for (const [line, at] of left) {
    const other = right.get(line);
    if (at < 0 || other === undefined || other < 0) continue;
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[tops[middle] ?? 0]?.to ?? 0) < other) low = middle + 1;
      else high = middle;
    }
    piles.push({ from: at, to: other, before: low === 0 ? -1 : (tops[low - 1] ?? -1) });
    tops[low] = piles.length - 1;
  }
  const found: (readonly [number, number])[] = [];
  for (let at = tops.at(-1) ?? -1; at >= 0;) {
    const pile = piles[at];
    if (pile === undefined) break;
    found.push([pile.from, pile.to]);
    at = pile.before;
  }
  return found.toReversed();
}

/** The index of each line in a range, in order; -1 if it occurs more than once. */
function uniqueLines(lines: readonly string[], start: number, end: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (let index = start; index < end; index += 1) {
    const line = lines[index] ?? '';
    found.set(line, found.has(line) ? -1 : index);
  }
  return found;
}

function splitAt(region: Region, anchors: readonly (readonly [number, number])[]): readonly Region[] {
  let [fromStart, toStart] = [region.fromStart, region.toStart];
  const regions: Region[] = [];
  for (const [from, to] of anchors) {
    regions.push({ fromStart, fromEnd: from, toStart, toEnd: to });
    [fromStart, toStart] = [from + 1, to + 1];
  }
  regions.push({ fromStart, fromEnd: region.fromEnd, toStart, toEnd: region.toEnd });
  return regions;
}

function alignSubsequence({ from, to, aligned }: Texts, region: Region): void {
  const [rows, columns] = [region.fromEnd - region.fromStart, region.toEnd - region.toStart];
  if (rows * columns > MAX_CELLS) return;
  const width = columns + 1;
  const lengths = new Int32Array((rows + 1) * width);
  const isEqual = (row: number, column: number): boolean =>
    from[region.fromStart + row] === to[region.toStart + column];
  const cell = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1)
      lengths[row * width + column] = isEqual(row, column)
        ? cell(row + 1, column + 1) + 1
        : Math.max(cell(row + 1, column), cell(row, column + 1));
  for (let [row, column] = [0, 0]; row < rows && column < columns;) {
    if (isEqual(row, column)) {
      aligned[region.toStart + column] = region.fromStart + row;
      row += 1;
      column += 1;
    } else if (cell(row + 1, column) >= cell(row, column + 1)) row += 1;
    else column += 1;
  }
}
