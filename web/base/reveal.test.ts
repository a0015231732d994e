import { describe, expect, it } from 'vitest';
import { reveal, revealName } from './reveal.ts';

describe('text of the pages', () => {
  it('has no hidden characters', () => {
    expect(reveal('photo\u202Egpj.exe')).toBe('photo⟨U+202E⟩gpj.exe');
    expect(reveal('if (admin\u2066) // \u2069')).toBe('if (admin⟨U+2066⟩) // ⟨U+2069⟩');
    expect(reveal('a\u200Bb\u200Dc\u{E0041}')).toBe('a⟨U+200B⟩b⟨U+200D⟩c⟨U+E0041⟩');
    expect(reveal('\u001B[2J\u0000\u007F\u0085\r')).toBe('␛[2J␀␡⟨U+0085⟩␍');
  });

  it('has no hidden line breaks and spaces in the name of a file', () => {
    expect(revealName('src/new\nline\t.js')).toBe('src/new␊line␉.js');
    expect(revealName(' a/ b /c\u202E.js ')).toBe('␠a/␠b␠/c⟨U+202E⟩.js␠');
    expect(revealName('src/a  b.js')).toBe('src/a  b.js');
  });

  it('keeps what scripts and emoji need', () => {
    for (const text of ['a\tb\nc', 'é ß 漢字', 'می\u200Cخواهم', '👩\u200D💻', 'שלום'])
      expect(reveal(text)).toBe(text);
  });
});
