import { expect, test } from 'vitest';
import { createProcess, createSnapshot } from '../../../test/fixtures/triage-snapshot.ts';
import { assess } from '../assess.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import type { ProcessFacts } from '../process-snapshot.ts';

const agent = createProcess({ pid: 400, comm: 'claude', command: ['claude'], deep: null });
const server = (pid: number, name: string, startTicks: number): ProcessFacts =>
  createProcess({ pid, ppid: 400, startTicks, command: ['node', `/opt/${name}`], deep: null });

test('lists the older instances together with their cost, and keeps the newest', () => {
  const generations = Array.from({ length: 12 }, (_, index) => [
    server(500 + index, 'mcp-server-a', 10_000 + index * 6000),
    server(600 + index, 'mcp-server-b', 10_000 + index * 6000),
  ]).flat();
  const { assessments } = assess(createSnapshot([agent, ...generations]), DEFAULT_PARAMETERS, {
    alpha: 0.025,
  });
  expect(assessments.length).toBe(22);
  expect(assessments.every(({ recommended_action }) => recommended_action === 'review')).toBe(true);
  const older = assessments.filter(({ superseded }) => superseded?.newest === 511);
  expect(older.map(({ pid }) => pid).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 11 }, (_, index) => 500 + index),
  );
  expect(older[0]?.superseded).toEqual({ parent: 400, newest: 511, instances: 11, memory_mb: 110 });
  expect(older[0]?.action_rationale).toContain('one of 11 older instances of the same command under 400');
});

test('ignores pools of workers, different commands, and instances that were started together', () => {
  const worker = (pid: number): ProcessFacts =>
    createProcess({
      pid,
      ppid: 400,
      startTicks: pid * 1000,
      command: ['node', '/x/jest-worker/processChild.js'],
      deep: null,
    });
  const others = [
    worker(500),
    worker(501),
    server(600, 'mcp-server-a', 10_000),
    server(601, 'mcp-server-b', 90_000),
    server(602, 'mcp-server-b', 90_100),
  ];
  expect(
    assess(createSnapshot([agent, ...others]), DEFAULT_PARAMETERS, { alpha: 0.025 }).assessments,
  ).toEqual([]);
});
