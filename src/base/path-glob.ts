import { ownMember } from './own-member.ts';
import { compileLinear } from './compile-linear.ts';

/**
 * Compiles a pattern for paths: `*` and `?` match within a name, `**` across names, `{a,b}` one of several, `[ab]` one character. A
 * pattern that matches a folder matches everything below it. Undefined if the pattern is invalid.
 */
export function compilePathGlob(glob: string): ((path: string) => boolean) | undefined {
  const source = translate(glob.replace(/^\//u, '').replace(/\/+$/u, ''));
  const pattern = source === undefined ? undefined : compileLinear(`^(?:${source})(?:/.*)?$`);
  return pattern && ((path) => pattern.test(path));
}

/** Translates a glob into a regular expression; undefined if a brace or bracket is not closed. */
function translate(glob: string): string | undefined {
  let source = '';
  let braces = 0;
  for (let at = 0; at < glob.length;) {
    const rest = glob.slice(at);
    const [token = ''] = /^(?:\*\*\/|\*\*|\[!?\]?[^\]]*\]|[\s\S])/u.exec(rest) ?? [];
    at += token.length;
    if (token === '{') braces += 1;
    if (token === '}') braces -= 1;
    if (braces < 0 || token === '[') return undefined;
    source += translateToken(token, braces > 0);
  }
  return braces === 0 ? source : undefined;
}

const TOKENS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
};

function translateToken(token: string, inBraces: boolean): string {
  const known = ownMember(TOKENS, token);
  if (known !== undefined) return known;
  if (token === ',' && inBraces) return '|';
  if (token.length > 1 && token.startsWith('[')) {
    const inverted = token.startsWith('[!');
    const characters = token.slice(inverted ? 2 : 1, -1).replaceAll(/[\\[\]^]/gu, '\\$&');
    return `[${inverted ? '^/' : ''}${characters}]`;
  }
  return token.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
