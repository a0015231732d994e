import { expect, it } from 'vitest';
import { suggestCommand } from './suggest-command.ts';

const PATHS = [
  'overview',
  'task create',
  'task get',
  'task list',
  'task next',
  'task take',
  'task edit',
  'task complete',
  'task delete',
  'task add-dep',
  'memory set',
  'memory search',
  'work run',
  'work list',
  'work show',
  'work log',
  'work approve',
  'agent run',
  'agent sessions list',
];

it.each([
  ['task show', 'task get'],
  ['task done', 'task complete'],
  ['task new', 'task create'],
  ['task add', 'task create'],
  ['task ls', 'task list'],
  ['task rm', 'task delete'],
  ['task update', 'task edit'],
  ['task lits', 'task list'],
  ['memory add', 'memory set'],
  ['work logs', 'work log'],
  ['tasks list', 'task list'],
  ['tasks', 'task'],
  ['tsk crate', 'task create'],
  ['list tasks', 'task list'],
  ['create task', 'task create'],
  ['agent sesions ls', 'agent sessions list'],
  ['approve', 'work approve'],
  ['search', 'memory search'],
  ['overveiw', 'overview'],
  ['task_list', 'task list'],
])('%s means %s', (words, meant) => {
  expect(suggestCommand(words.split(' '), PATHS)).toBe(meant);
});

it.each(['run', 'xyzzy', 'task xyzzy', 'plan.yaml run'])('%s means no command in particular', (words) => {
  expect(suggestCommand(words.split(' '), PATHS)).toBeUndefined();
});
