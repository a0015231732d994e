import { expect, test } from 'vitest';
import { NAMESPACES, OWN_COMMANDS, VYBE_COMMANDS } from './commands.ts';
import { readWords } from './words.ts';

const paths = [...Object.keys(VYBE_COMMANDS), ...Object.keys(OWN_COMMANDS)];

test('the namespaces are the words that commands begin with', () => {
  const beginnings = paths.map((path) => path.split(' ').slice(0, -1).join(' ')).filter(Boolean);
  expect(new Set(Object.keys(NAMESPACES))).toEqual(new Set(beginnings));
});

test('every command is found by its words, and a namespace that is no command by its own', () => {
  for (const path of paths)
    expect(readWords([...path.split(' '), '--flag', 'value'])).toMatchObject({ path });
  for (const path of Object.keys(NAMESPACES).filter((name) => !paths.includes(name))) {
    expect(readWords([path])).toEqual({ kind: 'namespace', path, rest: [] });
  }
});
