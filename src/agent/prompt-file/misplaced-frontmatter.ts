import { FENCE } from '../../base/split-frontmatter.ts';
import { FRONTMATTER_SCHEMA } from './frontmatter-schema.ts';

/** Lines that other formats have in this place, or that a user may take for a fence. */
const LIKE_A_FENCE = /^\s*(?:-{3,}|\+{3}|```)\s*(?:ya?ml|toml)?\s*$/iu;
const SEARCHED_LINES = 20;

/** Returns whether a file of any name is a prompt file: its settings would otherwise be sent as text. */
export function startsLikePromptFile(start: string): boolean {
  const [first = '', second = ''] = start.replace(/^\uFEFF/u, '').split('\n');
  if (/^#!.*\bai-agent\b/u.test(first)) return true;
  // A rule of Markdown is followed by prose.
  return FENCE.test(first) && /^\$?\w+[ \t]*:/u.test(second);
}

/** Returns the problem of a text without frontmatter that contains something like it: its limits would be read as text. */
export function findMisplacedFrontmatter(text: string): string | undefined {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  if (FENCE.test(lines[0] ?? '')) return 'has frontmatter that is not closed; add a line "---" after it';
  if (lines[first]?.trim() === '---')
    return 'has white space before its frontmatter; "---" must be the first line, or the second after "#!"';
  const at = lines.slice(0, SEARCHED_LINES).findIndex((line, index) => {
    const key = /^\s*([A-Za-z_]+)\s*[:=]/u.exec(lines[index + 1] ?? '')?.[1] ?? '';
    return LIKE_A_FENCE.test(line) && Object.hasOwn(FRONTMATTER_SCHEMA.entries, key);
  });
  if (at < 0) return undefined;
  const line = (lines[at] ?? '').trim();
  return `has settings after "${line}" in line ${at + 1} that would be read as text; put them between two lines "---" at the start of the file`;
}
