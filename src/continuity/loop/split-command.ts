import { Fault } from '../../base/fault.ts';

/** Splits a command line into words like a shell, with quotes and backslashes but without expansion. */
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
      if (index >= line.length) throw invalidCommand(line, field);
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
  if (quote !== undefined) throw invalidCommand(line, field);
  if (word !== undefined) words.push(word);
  if (words.length === 0 || words[0] === '') throw invalidCommand(line, field);
  return words;
}

function invalidCommand(line: string, field: string): Fault {
  return new Fault('E_VALIDATION', `"${line.slice(0, 80)}" is not a valid command.`, {
    hint: 'Pass a program and its arguments, and close all quotes.',
    details: { field },
  });
}
