import { describe, expect, test } from 'vitest';
import {
  createDeep,
  createOrphan,
  createProcess,
  createSnapshot,
  createUse,
  SEVERED,
} from '../../../test/fixtures/triage-snapshot.ts';
import { AGENT_MARK, renderAgentMark } from '../../base/agent-mark.ts';
import { assess } from '../assess.ts';
import type { Assessment } from '../assessment.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import type {
  DeepFacts,
  ProcessFacts,
  ProcessSnapshot,
  StandardStream,
  UseFacts,
} from '../process-snapshot.ts';

const TAKEN_AT_MS = 1_700_010_000_000;
const streams = [SEVERED, SEVERED, SEVERED] as const;
const withDeep = (changes: Partial<DeepFacts>): Partial<ProcessFacts> => ({
  deep: createDeep({ stdio: streams, ...changes }),
});
const withUse = (changes: Partial<UseFacts>): Partial<ProcessFacts> => withDeep({ use: createUse(changes) });
const write = (changes: Partial<DeepFacts['writes'][number]>): DeepFacts['writes'][number] => ({
  fd: 7,
  path: '/data',
  offset: 9,
  moved: false,
  deleted: false,
  changedAtMs: TAKEN_AT_MS - 3_600_000,
  ...changes,
});
const held = { kind: 'pipe', peer: 'alive', peers: [100] } as const;

test('a tool server whose owner is gone has grounds and no veto', () => {
  expect(assessIn(createOrphan())).toMatchObject({
    grounds: { found: true, reason: expect.stringContaining('serves only its owner') as string },
    vetoes: [],
    recommended_action: 'kill',
  });
});

describe('each veto alone turns a kill into a review', () => {
  test.each<[string, string, Partial<ProcessFacts>]>([
    ['unreadable', 'could not be read', withDeep({ descriptorsReadable: false, stdio: streams })],
    ['desktop', 'a display', withUse({ localConnections: 1, desktop: ['DISPLAY'] })],
    ['connection', '1 established connection', withUse({ remoteConnections: 1 })],
    ['connection', '2 established connections', withUse({ localConnections: 2 })],
    ['connection', 'cannot be read', withUse({ unknownSockets: 1 })],
    [
      'listener',
      'from other machines',
      withUse({ listeners: [{ address: '3000', local: false, busy: false }] }),
    ],
    [
      'listener',
      'just had connections',
      withUse({ listeners: [{ address: '3000', local: true, busy: true }] }),
    ],
    [
      'listener',
      '/run/x.sock',
      withUse({ listeners: [{ address: '/run/x.sock', local: false, busy: false }] }),
    ],
    ['streams', 'standard streams', withDeep({ stdio: [SEVERED, SEVERED, held] })],
    ['device', '/dev/snd/pcm', withUse({ devices: ['/dev/snd/pcm'] })],
    ['device', 'provides a terminal', withUse({ devices: ['/dev/ptmx'] })],
    ['lock', 'a file lock', withDeep({ locks: 1 })],
    ['journal', '/x/.notes.swp', withDeep({ writes: [write({ path: '/x/.notes.swp' })] })],
    ['journal', '/x/app.db-wal', withDeep({ writes: [write({ path: '/x/app.db-wal' })] })],
    [
      'recent_write',
      'changed 5 min ago',
      withDeep({ writes: [write({ changedAtMs: TAKEN_AT_MS - 300_000 })] }),
    ],
    [
      'recent_write',
      'changed 5 min ago',
      withDeep({ writes: [write({ fd: 1, changedAtMs: TAKEN_AT_MS - 300_000 })] }),
    ],
    ['recent_write', 'is unknown', withDeep({ writes: [write({ changedAtMs: null })] })],
    ['progress', 'read or wrote', withDeep({ ioBytesDelta: 8192 })],
    ['progress', '% CPU', { cpuTicksDelta: 20 }],
    ['job_control', 'is stopped', { state: 'T' }],
    ['debugger', 'process 9 debugs it', withUse({ tracer: 9 })],
    ['age', 'less than 10 min', { startTicks: 990_000 }],
  ])('%s: %s', (veto, reason, changes) => {
    const found = assessIn(createOrphan(changes));
    expect(found?.vetoes).toContainEqual({ veto, reason: expect.stringContaining(reason) as string });
    expect(['review', 'spare']).toContain(found?.recommended_action);
    expect(found?.action_rationale).toContain('for review because');
  });

  test('kind: an editor with the mark of an agent that has ended', () => {
    const found = assessIn(marked({ command: ['vim', 'notes.md'] }));
    expect(found).toMatchObject({
      grounds: { found: true },
      vetoes: [{ veto: 'kind', reason: 'it is an editor' }],
      recommended_action: 'review',
    });
  });

  test('nohup: a marked process that ignores hangups', () => {
    const none = { kind: 'null', peer: 'none', peers: [] } as const;
    const found = assessIn(
      marked({}, { stdio: [none, none, none], use: createUse({ ignoresHangup: true }) }),
    );
    expect(found?.vetoes).toEqual([{ veto: 'nohup', reason: expect.stringContaining('SIGHUP') as string }]);
  });

  test('nohup: a process with a log file, even if the other end of its input is closed', () => {
    const severed = { kind: 'pipe', peer: 'gone', peers: [] } as const;
    const log = { kind: 'file', peer: 'none', peers: [] } as const;
    const vetoesOf = (output: StandardStream, ignoresHangup: boolean, session?: number) =>
      assessIn(
        createOrphan({
          ...withDeep({ stdio: [severed, output, output], use: createUse({ ignoresHangup }) }),
          ...(session !== undefined && { session }),
        }),
      )?.vetoes?.map(({ reason }) => reason);
    expect(vetoesOf(log, true)).toEqual([expect.stringContaining('SIGHUP')]);
    // Node resets ignored signals.
    expect(vetoesOf(log, false)).toEqual([
      'its output goes to a file, so a shell started it in the background',
    ]);
    expect(vetoesOf(log, false, 500)).toEqual([]);
    expect(vetoesOf(severed, true)).toEqual([]);
  });

  test('streams: another part of its pipeline runs, whose shell has ended too', () => {
    const vetoesBeside = (command: readonly string[]) => {
      const reader = createOrphan({ pid: 600, session: 98, command });
      const output = { kind: 'pipe', peer: 'alive', peers: [600] } as const;
      return assessIn(createOrphan(withDeep({ stdio: [SEVERED, output, SEVERED] })), [reader])?.vetoes;
    };
    expect(vetoesBeside(['xargs', 'cp'])).toEqual([
      { veto: 'streams', reason: 'process 600 (program) has the other end of its standard streams open' },
    ]);
    expect(vetoesBeside(['mcp-server-demo'])).toEqual([]);
  });

  test('living_parent: a parent that changed its session after it started the process', () => {
    const parent = createProcess({ pid: 400, session: 400, comm: 'go', startTicks: 1400 });
    const child = createOrphan({ ppid: 400, session: 98 });
    const found = assessIn(child, [parent]);
    expect(found?.vetoes).toContainEqual({ veto: 'living_parent', reason: 'its parent 400 (go) is running' });
    expect(found).toMatchObject({ grounds: { found: false }, recommended_action: 'review' });
  });

  test('descendant: a child that holds a lock', () => {
    const child = createOrphan({ pid: 501, ppid: 500, ...withDeep({ locks: 1 }) });
    expect(assessIn(createOrphan(), [child])?.vetoes).toEqual([
      { veto: 'descendant', reason: 'its descendant 501 (program): it holds a file lock' },
    ]);
  });

  test('progress: a child that it started minutes ago', () => {
    const child = createOrphan({ pid: 501, ppid: 500, startTicks: 990_000 });
    expect(assessIn(createOrphan(), [child])?.vetoes?.[0]).toMatchObject({ veto: 'progress' });
  });

  test('progress: CPU time since an earlier snapshot', () => {
    const history = new Map([
      [
        '500:1500',
        { firstLostMs: 0, lastOwnedMs: null, reading: { atMs: TAKEN_AT_MS - 60_000, cpuTicks: 10 } },
      ],
    ]);
    const found = assessIn(createOrphan({ cpuTicks: 1010 }), [], { history });
    expect(found?.vetoes).toEqual([{ veto: 'progress', reason: 'it used 17 % CPU over the last 1 min' }]);
  });
});

describe('CPU time alone is not a veto', () => {
  test('for a worker of a test runner that has ended', () => {
    const worker = ['node', '/x/node_modules/jest-worker/build/workers/processChild.js'];
    expect(assessIn(createOrphan({ command: worker, cpuTicksDelta: 40 }))?.vetoes).toEqual([]);
  });

  test('for a process with the mark of an agent that has ended', () => {
    expect(assessIn(marked({ cpuTicksDelta: 40 }))?.vetoes).toEqual([]);
  });
});

test('a loopback port without connections is not a veto', () => {
  const changes = withUse({ listeners: [{ address: '3000', local: true, busy: false }] });
  expect(assessIn(createOrphan(changes))?.vetoes).toEqual([]);
});

test('a snapshot of an earlier version, without these facts, allows no action', () => {
  const { use: _use, ...deep } = createDeep({ stdio: streams });
  expect(assessIn(createOrphan({ deep }))).toMatchObject({
    vetoes: [{ veto: 'unreadable' }],
    recommended_action: 'review',
  });
});

const MARK = renderAgentMark({
  session: 'a'.repeat(32),
  pid: 900,
  startTicks: 1,
  space: '7',
  bootId: createSnapshot([]).bootId,
});

function marked(changes: Partial<ProcessFacts>, deep: Partial<DeepFacts> = {}): ProcessFacts {
  return createOrphan({
    deep: createDeep({ stdio: streams, environment: { [AGENT_MARK]: MARK }, ...deep }),
    ...changes,
  });
}

function assessIn(
  process: ProcessFacts,
  others: readonly ProcessFacts[] = [],
  options: Partial<Parameters<typeof assess>[2]> = {},
): Assessment | undefined {
  const base = createSnapshot([...others, process]);
  const snapshot: ProcessSnapshot = { ...base, observer: { ...base.observer, pidSpace: '7' } };
  return assess(snapshot, DEFAULT_PARAMETERS, { alpha: 0.025, ...options }).assessments.find(
    ({ pid }) => pid === process.pid,
  );
}
