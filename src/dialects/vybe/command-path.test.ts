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

test('a namespace of one command stands for that command if a flag follows, except for help', () => {
  const path = (...argv: string[]): unknown => {
    const { kind, rest, ...named } = parseCommandPath(argv);
    return [kind, 'path' in named ? named.path : '', rest];
  };
  expect(path('events', '--kind', 'progress', '--all')).toEqual([
    'command',
    'events list',
    ['--kind', 'progress', '--all'],
  ]);
  expect(path('-a', 'ada', 'artifacts', '--task-id', 'x')).toEqual([
    'command',
    'artifacts list',
    ['-a', 'ada', '--task-id', 'x'],
  ]);
  expect(path('events', '--help')).toEqual(['namespace', 'events', ['--help']]);
  expect(path('task', '--agent', 'ada')).toEqual(['namespace', 'task', ['--agent', 'ada']]);
  expect(path('loop', '--dry-run')).toEqual(['command', 'loop', ['--dry-run']]);
});
