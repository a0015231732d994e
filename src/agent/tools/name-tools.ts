import { sha256 } from '../../base/digest.ts';

/** What every provider takes as the name of a tool; the protocol of tool servers allows dots, slashes and longer names. */
const REFUSED = /[^A-Za-z0-9_-]/gu;
const LONGEST = 64;
const MARK_CHARACTERS = 6;

/**
 * Names the tools of a server as models see them: `<server>__<tool>`, in the characters that providers take. One such name would
 * otherwise cost the whole request. Where two names become one, or one is too long, a mark tells them apart.
 */
export function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(tools.map((tool) => `${server}__${tool}`).filter(isPlain));
  for (const tool of tools) {
    const whole = `${server}__${tool}`;
    if (names.has(tool)) continue;
    const plain = whole.replaceAll(REFUSED, '_');
    const name = isPlain(whole) || (isPlain(plain) && !taken.has(plain)) ? plain : marked(plain, tool);
    taken.add(name);
    names.set(tool, name);
  }
  return names;
}

function isPlain(name: string): boolean {
  return name.length <= LONGEST && name.replaceAll(REFUSED, '') === name;
}

function marked(name: string, tool: string): string {
  const mark = sha256(tool)
    .replace(/^sha256:/u, '')
    .slice(0, MARK_CHARACTERS);
  return `${name.slice(0, LONGEST - MARK_CHARACTERS - 1)}_${mark}`;
}
