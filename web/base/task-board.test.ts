import { describe, expect, it } from 'vitest';
import { filterTasks, groupTasks, linkedTasks, openDependencies } from './task-board.ts';
import type { Task } from './use-tasks.ts';

function task(id: string, more: Partial<Task> = {}): Task {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    id,
    title: `Title of ${id}`,
    description: '',
    status: 'pending',
    priority: 0,
    version: 1,
    created_at: at,
    updated_at: at,
    ...more,
  };
}

const idsOf = (tasks: readonly Task[] | undefined): string[] => (tasks ?? []).map(({ id }) => id);

describe('the board', () => {
  it('orders a column by priority, then by age, and done tasks by the time they were done', () => {
    const tasks = [
      task('late', { created_at: '2026-01-03' }),
      task('early', { created_at: '2026-01-02' }),
      task('urgent', { priority: 5, created_at: '2026-01-04' }),
      task('first', { status: 'completed', updated_at: '2026-02-01' }),
      task('last', { status: 'completed', updated_at: '2026-02-02' }),
    ];
    const groups = groupTasks(tasks);
    expect(idsOf(groups.get('pending'))).toEqual(['urgent', 'early', 'late']);
    expect(idsOf(groups.get('completed'))).toEqual(['last', 'first']);
    expect(groups.get('blocked')).toEqual([]);
  });

  it('separates tasks that wait for others from those that wait for a person', () => {
    const tasks = [
      task('later', { status: 'blocked', blocked_reason: 'dependency' }),
      task('stuck', { status: 'blocked', blocked_reason: 'No sample file' }),
    ];
    const groups = groupTasks(tasks);
    expect([idsOf(groups.get('waiting')), idsOf(groups.get('blocked'))]).toEqual([['later'], ['stuck']]);
  });

  it('finds all words, in any field and case', () => {
    const tasks = [
      task('a', { title: 'Fix the parser', project_id: 'csv' }),
      task('b', { title: 'Fix the lexer', claim: { agent: 'Parser-1', expires_at: '', expired: false } }),
      task('c', { title: 'Document it', project_id: 'csv' }),
    ];
    const found = (text: string, project?: string): string[] => idsOf(filterTasks(tasks, { text, project }));
    expect(found('fix PARSER')).toEqual(['a', 'b']);
    expect(found('fix', 'csv')).toEqual(['a']);
    expect(found('nothing')).toEqual([]);
  });

  it('knows which dependencies are not done', () => {
    const tasks = [task('a'), task('b', { status: 'completed' })];
    const byId = new Map(tasks.map((each) => [each.id, each]));
    expect(openDependencies(task('c', { depends_on: ['a', 'b', 'deleted'] }), byId)).toEqual(['a']);
  });

  it('shows open tasks with links in the graph, and what they depend on', () => {
    const tasks = [
      task('a', { status: 'completed' }),
      task('b', { depends_on: ['a'] }),
      task('alone'),
      task('old', { status: 'completed', depends_on: ['a'] }),
    ];
    expect(idsOf(linkedTasks(tasks, tasks))).toEqual(['a', 'b']);
  });

  it('shows what was searched for in the graph, with its neighbours', () => {
    const tasks = [
      task('a'),
      task('b', { depends_on: ['a'] }),
      task('c', { depends_on: ['b'] }),
      task('d', { depends_on: ['c'] }),
    ];
    const found = filterTasks(tasks, { text: 'title of b', project: undefined });
    expect(idsOf(linkedTasks(tasks, found))).toEqual(['a', 'b', 'c']);
  });
});
