import { sha256 } from '../../system/digest.ts';

/** Characters that some provider rejects in tool names. MCP also allows dots, slashes and longer names. */
const INVALID_CHARACTERS = /[^A-Za-z0-9_-]/gu;
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 6;

/**
 * Maps the tools of a server to the names models see: `<server>__<tool>` with only valid characters, because one invalid name makes a
 * provider reject the whole request. Names that collide or are too long get a hash suffix.
 */
export function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(tools.map((tool) => `${server}__${tool}`).filter(isValidName));
  for (const tool of tools) {
    const whole = `${server}__${tool}`;
    if (names.has(tool)) continue;
    const plain = validToolName(whole);
    const name =
      isValidName(whole) || (isValidName(plain) && !taken.has(plain)) ? plain : withHash(plain, tool);
    taken.add(name);
    names.set(tool, name);
  }
  return names;
}

/** Replaces the characters that a tool name must not have. */
export function validToolName(name: string): string {
  return name.replaceAll(INVALID_CHARACTERS, '_');
}

function isValidName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && name.replaceAll(INVALID_CHARACTERS, '') === name;
}

function withHash(name: string, tool: string): string {
  const hash = sha256(tool)
    .replace(/^sha256:/u, '')
    .slice(0, HASH_LENGTH);
  return `${name.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
