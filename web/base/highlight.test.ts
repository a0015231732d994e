import { describe, expect, it } from 'vitest';
import { highlightLines, languageOf } from './highlight.ts';

/** The coloured parts of each line, such as `keyword:const`. */
function colours(path: string, ...lines: string[]): string[] {
  const language = languageOf(path);
  if (language === undefined) return [];
  const result = highlightLines(lines, language);
  // Nothing is lost or added.
  expect(result.map((tokens) => tokens.map(({ text }) => text).join(''))).toEqual(lines);
  return result.map((tokens) =>
    tokens.flatMap(({ text, kind }) => (kind === undefined ? [] : [`${kind}:${text}`])).join(' '),
  );
}

describe('highlighting', () => {
  it('finds keywords, strings, numbers and comments', () => {
    expect(colours('a.ts', `const n = 42; // "no string"`, `return 'it\\'s' + f(1.5);`)).toEqual([
      'keyword:const number:42 comment:// "no string"',
      `keyword:return string:'it\\'s' number:1.5`,
    ]);
    expect(colours('a.py', 'def f(x): # define', '    return "a#b"')).toEqual([
      'keyword:def comment:# define',
      'keyword:return string:"a#b"',
    ]);
  });

  it('continues comments and long strings on the next lines', () => {
    expect(colours('a.js', 'a /* one', 'if two */ if', '`three', 'if` if')).toEqual([
      'comment:/* one',
      'comment:if two */ keyword:if',
      'string:`three',
      'string:if` keyword:if',
    ]);
    expect(colours('a.py', '"""if', 'if""" if')).toEqual(['string:"""if', 'string:if""" keyword:if']);
  });

  it('does not take a member for a keyword', () => {
    expect(colours('a.js', 'map.delete(key); delete map.set')).toEqual(['keyword:delete']);
  });

  it('leaves text alone', () => {
    expect(languageOf('README.md')).toBeUndefined();
    expect(languageOf('LICENSE')).toBeUndefined();
  });

  it('takes little time for a long file', () => {
    const lines = Array.from({ length: 2000 }, (_, n) => `const value${n} = "text ${n}" + f(${n}); // note`);
    const start = performance.now();
    colours('a.ts', ...lines);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('ends for every input', () => {
    const odd = ['"', '\\', "'\\", '/*', '*/', '`', '\u{1f600}', '#<-!', '', '"\\\\"', '1_0n.'];
    expect(colours('a.ts', ...odd, ...odd.toReversed())).toHaveLength(2 * odd.length);
  });
});
