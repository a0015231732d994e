import { describe, expect, it } from 'vitest';
import { groupByJob, mergeOpen, type RunRow } from './use-runs.ts';

const run = (run_id: string, status: string): RunRow => ({ run_id, status }) as RunRow;

describe('the runs of the pages', () => {
  it('have those that wait behind any number of newer ones', () => {
    const newest = [run('run_9', 'success'), run('run_8', 'waiting'), run('run_7', 'success')];
    const open = [run('run_8', 'waiting'), run('run_1', 'waiting'), run('run_3', 'running')];
    expect(mergeOpen(newest, open)).toEqual([...newest, run('run_3', 'running'), run('run_1', 'waiting')]);
  });

  it('have each run once, with the status of the list of the newest runs', () => {
    const newest = [run('run_9', 'success'), run('run_8', 'success')];
    const open = [run('run_9', 'running'), run('run_2', 'running'), run('run_2', 'waiting')];
    expect(mergeOpen(newest, open).map(({ run_id, status }) => `${run_id} ${status}`)).toEqual([
      'run_9 success',
      'run_8 success',
      'run_2 waiting',
    ]);
  });

  it('are grouped by job, in which an item that ran again has the state of its last run', () => {
    const of = (run_id: string, job_id: string, item_id: string) => ({ run_id, job_id, item_id }) as RunRow;
    const [a3, b2, a2, a1] = [of('3', 'x', 'a'), of('2', 'x', 'b'), of('1', 'x', 'a'), of('0', 'y', 'a')];
    expect(groupByJob([a3, b2, a2, a1])).toMatchObject([
      { id: 'x', runs: [a3, b2, a2], latest: [a3, b2] },
      { id: 'y', runs: [a1], latest: [a1] },
    ]);
  });

  it('of an empty home are none', () => {
    expect(mergeOpen([], [])).toEqual([]);
  });
});
