import { describe, expect, it } from 'vitest';
import { splitCommand } from './split-command.ts';

describe('a command line', () => {
  it.each([
    ['claude', ['claude']],
    ['  claude   --model  opus ', ['claude', '--model', 'opus']],
    [`claude -p "two words" 'and $HOME'`, ['claude', '-p', 'two words', 'and $HOME']],
    [String.raw`a\ b "c\"d" ''`, ['a b', 'c"d', '']],
    ['x; rm -rf / && $(y) | z', ['x;', 'rm', '-rf', '/', '&&', '$(y)', '|', 'z']],
  ])('%s is split without expansion', (line, words) => {
    expect(splitCommand(line, 'command')).toEqual(words);
  });

  it.each(['', '   ', '"open', "'open", 'end\\', '""'])('%s is rejected', (line) => {
    expect(() => splitCommand(line, 'command')).toThrow('is not a valid command');
  });
});
