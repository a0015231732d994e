import type { ReadValue } from './read-value.ts';

const MAX_ITEMS = 50;
const MAX_LIST_CHARACTERS = 8192;

/** Reads the members of a list in running text: `["…", "…"]`, or lines with dashes as in YAML. Empty when there is no list. */
export function readList(text: string, at: number): readonly ReadValue[] {
  const isBracketed = text[at] === '[';
  if (!isBracketed && !/^-[ \t]/u.test(text.slice(at, at + 2))) return [];
  const part = text.slice(at, at + MAX_LIST_CHARACTERS);
  const items: ReadValue[] = [];
  const item = isBracketed ? bracketed() : dashed();
  item.lastIndex = isBracketed ? 1 : 0;
  for (let match = item.exec(part); match && items.length < MAX_ITEMS; match = item.exec(part)) {
    const [start = 0, end = 0] = match.indices?.groups?.value ?? [];
    items.push({ text: part.slice(start, end), isQuoted: true, start: at + start, end: at + end });
  }
  return items;
}

const bracketed = (): RegExp =>
  /[\s,]{0,40}(?<escape>\\{0,15})(?<quote>["'`])(?<value>(?:(?!\k<quote>)[^\n\\]){0,1000})\k<escape>\k<quote>/duy;

const dashed = (): RegExp =>
  /\s{0,40}-[ \t]{1,4}["'`]?(?<value>[^\s"'`:{}[\]]{1,1000})["'`]?(?=[ \t]{0,20}(?:\r?\n|$))/duy;
