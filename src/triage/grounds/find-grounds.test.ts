import { describe, expect, test } from 'vitest';
import {
  createDeep,
  createOrphan,
  createProcess,
  createSnapshot,
  createUse,
  SEVERED,
} from '../../../test/fixtures/triage-snapshot.ts';
import { assess } from '../assess.ts';
import type { Assessment } from '../assessment.ts';
import type { History } from '../decision/automation.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import type { ProcessFacts } from '../process-snapshot.ts';

const MINUTE_MS = 60_000;
const { takenAtMs } = createSnapshot([]);
const opened = { kind: 'null', peer: 'none', peers: [] } as const;
/** Its input was /dev/null from the start, so its streams do not show when its owner ended. */
const withoutInput = { deep: createDeep({ stdio: [opened, opened, opened] }) };

describe('grounds need', () => {
  test.each<[string, Partial<ProcessFacts>, string]>([
    [
      'a known kind',
      { command: ['/opt/unheard-of'] },
      'it is not known whether this program serves only its owner',
    ],
    ['a kind that serves only its owner', { command: ['redis-server'] }, 'may serve others than its owner'],
    [
      'the loss in both samples',
      { deep: createDeep({ stdio: [SEVERED, SEVERED, SEVERED], use: createUse({ lostBefore: false }) }) },
      'it was not orphaned in both samples',
    ],
    ['a closed input, if the time of the loss is unknown', withoutInput, 'when its owner ended is unknown'],
    [
      'a closed input of a process in its own session',
      { ...withoutInput, session: 500 },
      'it has its own session',
    ],
    ['a process that runs', { state: 'Z' }, 'it has already exited'],
  ])('%s', (_, changes, reason) => {
    const found = assessIn(createOrphan(changes));
    expect(found?.grounds).toEqual({ found: false, reason: expect.stringContaining(reason) as string });
    expect(['review', 'spare']).toContain(found?.recommended_action);
  });

  test('no port of a program that was started as a server', () => {
    const listening = createOrphan({
      command: ['mcp-server-git', '--port', '8080'],
      deep: createDeep({ stdio: [SEVERED, SEVERED, SEVERED], listeningPorts: [8080] }),
    });
    expect(assessIn(listening)?.grounds).toEqual({
      found: false,
      reason: 'it is a server with a port, which may serve others than its owner',
    });
  });

  test('that the session leader has ended', () => {
    const leader = createProcess({ pid: 99, ppid: 1, session: 99, startTicks: 20 });
    expect(assessIn(createOrphan(), [leader])?.grounds?.found).toBe(false);
  });

  test('that the parent has ended', () => {
    const parent = createProcess({ pid: 400, ppid: 100, session: 100, startTicks: 20 });
    const child = createOrphan({ ppid: 400, session: 100, state: 'T' });
    expect(assessIn(child, [parent])?.grounds?.found).toBe(false);
  });
});

describe('the grace time', () => {
  test('is over ten minutes after the process was first seen without its owner', () => {
    const at = (minutes: number): History => ({
      firstLostMs: takenAtMs - minutes * MINUTE_MS,
      lastOwnedMs: takenAtMs - (minutes + 1) * MINUTE_MS,
    });
    expect(afterLoss(at(11), withoutInput)?.grounds?.found).toBe(true);
    expect(afterLoss(at(3), withoutInput)?.grounds).toEqual({
      found: false,
      reason: 'its owner ended less than 10 min ago',
    });
  });

  test('does not count for a process that was never seen with an owner, unless its input is closed', () => {
    const never = { firstLostMs: takenAtMs - 3600 * MINUTE_MS, lastOwnedMs: null };
    expect(afterLoss(never, withoutInput)?.grounds).toEqual({
      found: false,
      reason: expect.stringContaining('when its owner ended is unknown') as string,
    });
    expect(afterLoss(never)?.grounds?.found).toBe(true);
  });

  test('of an old process starts when its owner ended, even if its input is closed', () => {
    const ended = { firstLostMs: takenAtMs, lastOwnedMs: takenAtMs - MINUTE_MS };
    expect(afterLoss(ended)).toMatchObject({
      grounds: { found: false, reason: 'its owner ended less than 10 min ago' },
      recommended_action: 'review',
    });
  });

  test('is the age of the process, if the time of the loss is unknown and its input is closed', () => {
    const young = createOrphan({ startTicks: 1_000_000 - 9 * 60 * 100 });
    expect(assessIn(young)?.grounds?.found).toBe(false);
    expect(assessIn(createOrphan())?.grounds?.found).toBe(true);
  });

  test('is stated as far as it is known', () => {
    const ended = (minutes: number): History => ({
      firstLostMs: takenAtMs - minutes * MINUTE_MS,
      lastOwnedMs: takenAtMs - 30 * MINUTE_MS,
    });
    const unknown =
      /, which serves only its owner; when its owner ended is unknown, and the process is \d+ (?:min|h) old$/u;
    expect(assessIn(createOrphan())?.grounds?.reason).toMatch(unknown);
    expect(afterLoss(ended(5))?.grounds?.reason).toMatch(unknown);
    expect(afterLoss(ended(20))?.grounds?.reason).toMatch(/, which serves only its owner$/u);
  });
});

function afterLoss(history: History, changes: Partial<ProcessFacts> = {}): Assessment | undefined {
  return assessIn(createOrphan(changes), [], new Map([['500:1500', history]]));
}

function assessIn(
  process: ProcessFacts,
  others: readonly ProcessFacts[] = [],
  history: ReadonlyMap<string, History> = new Map(),
): Assessment | undefined {
  const snapshot = createSnapshot([...others, process]);
  return assess(snapshot, DEFAULT_PARAMETERS, { alpha: 0.025, history }).assessments.find(
    ({ pid }) => pid === process.pid,
  );
}
