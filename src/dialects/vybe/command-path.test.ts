import { expect, test } from 'vitest';
import { NAMESPACES, OWN_COMMANDS, VYBE_COMMANDS } from './commands.ts';
import { parseCommandPath } from './command-path.ts';

const paths = [...Object.keys(VYBE_COMMANDS), ...Object.keys(OWN_COMMANDS)];

test('the namespaces are the first words of the commands', () => {
  const prefixes = paths.map((path) => path.split(' ').slice(0, -1).join(' ')).filter(Boolean);
  expect(new Set(Object.keys(NAMESPACES))).toEqual(new Set(prefixes));
});

test('every command is found by its path, and every namespace by its name', () => {
  for (const path of paths)
    expect(parseCommandPath([...path.split(' '), '--flag', 'value'])).toMatchObject({ path });
  for (const path of Object.keys(NAMESPACES).filter((name) => !paths.includes(name))) {
    expect(parseCommandPath([path])).toEqual({ kind: 'namespace', path, rest: [] });
  }
});
