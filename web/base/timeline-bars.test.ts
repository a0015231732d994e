import { describe, expect, it } from 'vitest';
import { axisEndMs, timelineBars, withTurns, type TimelineItem } from './timeline-bars.ts';

const JOB = Date.parse('2026-01-01T10:00:00.000Z');
const at = (seconds: number): string => new Date(JOB + seconds * 1000).toISOString();
const ITEM: TimelineItem = {
  id: 'a',
  status: 'running',
  startedAt: at(1),
  endedAt: null,
  agentMs: 0,
  testsMs: null,
  decidedAt: null,
  steps: [],
};
const show = (item: Partial<TimelineItem>, nowSeconds: number): readonly string[] =>
  timelineBars({ ...ITEM, ...item }, JOB, JOB + nowSeconds * 1000).map(
    ({ kind, atMs, forMs }) => `${kind} ${atMs / 1000}+${forMs / 1000}`,
  );

describe('the bars of an item in the timeline', () => {
  it('change from the agent to its tests while the item runs', () => {
    const agent = { step: 'agent', started_at: at(2) };
    const checks = { step: 'checks', started_at: at(5) };
    const tests = { step: 'tests', started_at: at(6) };
    expect(show({ steps: [agent] }, 4)).toEqual(['queue 0+1', 'agent 2+2']);
    expect(show({ steps: [agent, checks, tests] }, 9)).toEqual([
      'queue 0+1',
      'agent 2+3',
      'checks 5+1',
      'tests 6+3',
    ]);
  });

  it('add the tests and the promotion of a stored result to what it used', () => {
    const steps = [
      { step: 'tests', started_at: at(10) },
      { step: 'promotion', started_at: at(12) },
    ];
    const stored = { status: 'ready', agentMs: 3000, testsMs: 2000, steps };
    expect(show(stored, 13)).toEqual([
      'queue 0+1',
      'agent 1+3',
      'tests 4+2',
      'queue 6+4',
      'tests 10+2',
      'promotion 12+1',
    ]);
  });

  it('of an item that ended are those of its result', () => {
    const ended = { status: 'success', agentMs: 3000, testsMs: 2000, endedAt: at(7) };
    expect(show(ended, 60)).toEqual(['queue 0+1', 'agent 1+3', 'tests 4+2', 'promotion 6+1']);
    expect(show({ ...ended, status: 'failure' }, 60).at(-1)).toBe('error 6+1');
  });

  it('end in a wait for a person only where one is awaited or has decided', () => {
    const tested = { agentMs: 3000, testsMs: 2000 };
    expect(show({ ...tested, status: 'waiting' }, 9).at(-1)).toBe('wait 6+3');
    expect(show({ ...tested, status: 'ready' }, 9).at(-1)).toBe('queue 6+3');
    const approved = { ...tested, status: 'success', decidedAt: at(3600), endedAt: at(3601) };
    expect(show(approved, 4000).slice(-2)).toEqual(['wait 6+3594', 'promotion 3600+1']);
    const rejected = { ...approved, status: 'denied' };
    expect(show(rejected, 4000).slice(-2)).toEqual(['wait 6+3594', 'error 3600+1']);
  });

  it('do not count the wait for the other items of a level as promotion', () => {
    const first = { ...ITEM, status: 'success', agentMs: 1000, endedAt: at(9), dependencies: [] };
    const slow = { ...first, id: 'slow', status: 'failure', agentMs: 7000, endedAt: at(8) };
    const next = { ...first, id: 'next', startedAt: at(10), endedAt: at(12), dependencies: ['a'] };
    const [a, , last] = withTurns([first, slow, next]);
    expect(show(a ?? {}, 60)).toEqual(['queue 0+1', 'agent 1+1', 'queue 2+6', 'promotion 8+1']);
    expect(show(last ?? {}, 60)).toEqual(['queue 0+10', 'agent 10+1', 'promotion 11+1']);
  });

  it('do not begin after the end, if the clock of another host is ahead', () => {
    expect(show({ steps: [{ step: 'agent', started_at: at(30) }] }, 4)).toEqual(['queue 0+1', 'agent 4+0']);
  });

  it('are those of the agent while nothing is known about the steps, and none before the start', () => {
    expect(show({}, 4)).toEqual(['queue 0+1', 'agent 1+3']);
    expect(show({ startedAt: null }, 4)).toEqual([]);
  });
});

describe('the axis of the timeline', () => {
  const done = { ...ITEM, id: 'b', status: 'success', startedAt: at(0), endedAt: at(3), agentMs: 2000 };
  const waiting = { ...ITEM, status: 'waiting', agentMs: 4000, testsMs: 1000 };
  const endSeconds = (items: readonly TimelineItem[], nowSeconds: number): number =>
    axisEndMs(items, JOB, JOB + nowSeconds * 1000) / 1000;

  it('moves on while something runs', () => {
    expect(endSeconds([done, ITEM], 60)).toBe(60);
    expect(endSeconds([{ ...waiting, steps: [{ step: 'promotion', started_at: at(59) }] }], 60)).toBe(60);
  });

  it('stays while only a person is awaited, so that the phases can be seen the next day', () => {
    expect(endSeconds([done, waiting], 7)).toBe(7);
    expect(endSeconds([done, waiting], 60)).toBe(8);
    expect(endSeconds([done, waiting], 86_400)).toBe(8);
  });

  it('moves on before anything has started', () => {
    expect(endSeconds([{ ...ITEM, status: 'pending', startedAt: null }], 60)).toBe(60);
  });
});
