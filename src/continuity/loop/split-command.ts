import { Fault } from '../../base/fault.ts';

/** Splits a command line into words as a shell would, with quotes and backslashes, and without expanding anything. */
export function splitCommand(line: string, field: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const char = line[index] ?? '';
    if (quote === "'") {
      if (char === "'") quote = undefined;
      else word += char;
    } else if (char === '\\') {
      index += 1;
      if (index >= line.length) throw unfinished(line, field);
      word = (word ?? '') + (line[index] ?? '');
    } else if (quote === '"') {
      if (char === '"') quote = undefined;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/u.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== undefined) throw unfinished(line, field);
  if (word !== undefined) words.push(word);
  if (words.length === 0 || words[0] === '') throw unfinished(line, field);
  return words;
}

function unfinished(line: string, field: string): Fault {
  return new Fault('E_VALIDATION', `"${line.slice(0, 80)}" is not a whole command.`, {
    hint: 'Name a program and its arguments; close every quote.',
    details: { field },
  });
}
