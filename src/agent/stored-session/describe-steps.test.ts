import { expect, test } from 'vitest';
import type { LlmAccountingEntry } from '../accounting-entry.ts';
import type { Compaction } from '../compaction/compacted-context.ts';
import type { SessionRecord } from '../session-record.ts';
import { describeSteps } from './describe-steps.ts';
import { NO_PROGRESS } from './restore-session.ts';

const entry: LlmAccountingEntry = {
  type: 'llm',
  provider: 'p',
  model: 'm',
  status: 'ok',
  latency: 5,
  timestamp: 1,
  tokens: { inputTokens: 10, outputTokens: 2, totalTokens: 12 },
};
const requested: SessionRecord = { type: 'llm.requested', at: 1, entry };
const settled: SessionRecord = { type: 'llm.settled', at: 2, entry };
const finished = (turn: number, compaction?: Compaction): SessionRecord => ({
  type: 'turn.finished',
  at: 3,
  messages: [],
  entries: [],
  progress: { ...NO_PROGRESS, turn, currentTokens: 30, contextLimit: 300, ...(compaction && { compaction }) },
  totals: { turns: turn, tokens: 0, costUsd: 0 },
});

const ENDED = { isRunning: false };

test('a request that was sent again after a kill is listed twice', () => {
  const resumed: SessionRecord = { type: 'session.resumed', at: 2, entries: [entry] };
  const steps = describeSteps([requested, resumed, requested, settled, finished(1)], ENDED);
  expect(steps.map(({ kind, status }) => `${kind} ${status}`)).toEqual(['request unknown', 'request ok']);
  expect(steps.at(-1)).toMatchObject({ contextTokens: 30, contextLimit: 300 });
});

test('each summary is listed, and once', () => {
  const [first, second] = [
    { head: 2, from: 4, summary: 6 },
    { head: 2, from: 8, summary: 10 },
  ];
  const turns = [finished(1, first), finished(2, first), finished(3, second)];
  const steps = describeSteps(
    turns.flatMap((turn) => [requested, settled, turn]),
    ENDED,
  );
  expect(steps.filter(({ kind }) => kind === 'compaction').map(({ turn }) => turn)).toEqual([1, 3]);
});

test('a request that is being answered runs, and is not one whose outcome was lost', () => {
  const open = (isRunning: boolean) =>
    describeSteps([requested, settled, finished(1), requested], { isRunning }).at(-1);
  expect(open(true)).toMatchObject({ turn: 2, status: 'running', latencyMs: null, reason: null });
  expect(open(false)).toMatchObject({ turn: 2, status: 'unknown' });
});
