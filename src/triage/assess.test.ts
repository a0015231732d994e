import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createDeep,
  createOrphan,
  createProcess,
  createSnapshot,
  SEVERED,
} from '../../test/fixtures/triage-snapshot.ts';
import { AGENT_MARK, renderAgentMark } from '../base/agent-mark.ts';
import { assess } from './assess.ts';
import type { Assessment } from './assessment.ts';
import { sumLedger } from './inference/posterior.ts';
import { DEFAULT_PARAMETERS, loadParameters } from './parameters/load-parameters.ts';
import type { ProcessFacts, ProcessSnapshot } from './process-snapshot.ts';

const ALPHA = 0.025;

describe('a recommendation', () => {
  test('is a kill for an orphan of an agent, with every field of the contract', () => {
    const found = assessIn(createSnapshot([createOrphan()]));
    expect(found).toMatchObject({
      recommended_action: 'kill',
      classification: 'abandoned',
      confidence: 'high',
      matched_signature: 'mcp-server',
      novel_pattern: false,
      exemption: null,
      start_id: '1700000015.500',
      blast_radius: { memory_mb: 10, risk_level: 'low', child_count: 0 },
      reversibility: { reversible: false, data_at_risk: false },
      supervisor: { detected: false, recommended_action: 'kill' },
      uncertainty: { decision_robustness: 'medium' },
    });
    expect(found?.action_rationale).toContain('its standard streams are disconnected');
  });

  test('is absent for the same process with a running parent: it is not assessed', () => {
    expect(assess(createSnapshot([createProcess()]), DEFAULT_PARAMETERS, { alpha: ALPHA })).toMatchObject({
      assessments: [],
      eligible: 1,
      scanned: 4,
    });
  });

  test('is spare for an idle shell on a terminal, at any age', () => {
    const shell = createProcess({
      ppid: 1,
      session: 500,
      tty: 34_816,
      comm: 'bash',
      command: ['-bash'],
      startTicks: 1,
    });
    expect(assessIn(createSnapshot([shell]), [500])).toMatchObject({
      classification: 'useful',
      recommended_action: 'spare',
    });
  });

  test('is review for a zombie, which cannot be killed', () => {
    const found = assessIn(createSnapshot([createProcess({ state: 'Z', command: [] })]));
    expect(found).toMatchObject({
      classification: 'zombie',
      recommended_action: 'review',
      blast_radius: { risk_level: 'none' },
    });
  });

  test('is review for a process that is blocked in the kernel', () => {
    expect(assessIn(createSnapshot([createOrphan({ state: 'D' })]))).toMatchObject({
      recommended_action: 'review',
      infeasible: { kill: expect.stringContaining('blocked in the kernel') as string },
    });
  });

  test('reports the supervision of a process that was not inspected as unknown', () => {
    const found = assessIn(createSnapshot([createProcess({ deep: null })]), [500]);
    expect(found?.reversibility.note).toBe(
      'Supervision unknown: the process was not inspected; no action is taken',
    );
  });

  test('derives the start command from the stop command, even if a path contains "stop"', () => {
    const environment = { pm_id: '4', PM2_HOME: '/srv/stop' };
    const daemon = createProcess({ pid: 400, command: ['PM2 v6: God Daemon'] });
    const app = createProcess({ ppid: 400, state: 'T', deep: createDeep({ environment }) });
    expect(assessIn(createSnapshot([daemon, app]))?.reversibility.recovery_options[0]).toBe(
      'Start via: env PM2_HOME=/srv/stop pm2 start 4',
    );
  });

  test('does not treat a short wait for a disk as blocked', () => {
    const deep = createDeep({ stdio: [SEVERED, SEVERED, SEVERED], contextSwitchesDelta: 2 });
    expect(assessIn(createSnapshot([createOrphan({ state: 'D', deep })]))).toMatchObject({
      recommended_action: 'kill',
      observation: { activity: 'waiting' },
    });
  });

  test('is review for a descendant of a background job, even if it looks orphaned', () => {
    const file = { kind: 'file', peer: 'none', peers: [] } as const;
    const job = createProcess({
      ppid: 1,
      session: 99,
      command: ['./soak-test'],
      deep: createDeep({ stdio: [file, file, file] }),
    });
    const lost = createDeep({ stdio: [SEVERED, SEVERED, SEVERED], cwdDeleted: true });
    const child = createOrphan({ pid: 501, ppid: 500, deep: lost });
    const found = assessIn(createSnapshot([job, child]), [], 501);
    expect(found).toMatchObject({
      recommended_action: 'review',
      vetoes: [{ veto: 'living_parent', reason: expect.stringContaining('it runs under 500') as string }],
      matched_signature: 'mcp-server',
      observation: { streams: 'file', cwdDeleted: false, stem: { pid: 500, kind: 'unknown' } },
    });
  });

  test('is not a kill for a descendant of a process in use, and names the reason', () => {
    const busy = createDeep({ stdio: [SEVERED, SEVERED, SEVERED], listeningPorts: [3000], served: 1 });
    const server = createOrphan({ deep: busy });
    const child = createOrphan({ pid: 501, ppid: 500 });
    expect(assessIn(createSnapshot([server, child]), [], 501)).toMatchObject({
      recommended_action: 'review',
      infeasible: { kill: 'it runs under 500, for which no kill is recommended' },
    });
  });

  test('is a kill for a descendant of a process with a recommended kill', () => {
    const child = createOrphan({ pid: 501, ppid: 500, deep: createDeep() });
    expect(assessIn(createSnapshot([createOrphan(), child]), [], 501)?.recommended_action).toBe('kill');
  });

  test('is review for a tree with a descendant of an unknown kind', () => {
    const child = createOrphan({ pid: 501, ppid: 500, command: ['helper'], deep: createDeep() });
    const { assessments } = assess(createSnapshot([createOrphan(), child]), DEFAULT_PARAMETERS, {
      alpha: ALPHA,
    });
    expect(assessments.map(({ recommended_action }) => recommended_action)).toEqual(['review', 'review']);
    expect(assessments.find(({ pid }) => pid === 500)?.vetoes).toEqual([
      { veto: 'descendant', reason: 'its descendant 501 (program): it is of an unknown kind' },
    ]);
  });

  test.each([
    [['node', 'app.js'], 'kill'],
    [['node', '--enable-source-maps', 'app.js'], 'kill'],
    [['node', 'queue-worker.js'], 'review'],
    [['queue-worker'], 'review'],
  ])(
    'below an abandoned "nodemon app.js", %j is of a known kind only if the watcher was started to run it: %s',
    (command, action) => {
      const watcher = createOrphan({ command: ['nodemon', 'app.js'] });
      const child = createOrphan({ pid: 501, ppid: 500, command, deep: createDeep() });
      const { assessments } = assess(createSnapshot([watcher, child]), DEFAULT_PARAMETERS, { alpha: ALPHA });
      expect(assessments.map(({ recommended_action }) => recommended_action)).toEqual([action, action]);
    },
  );

  test('is not a kill for a process that recently wrote to its own file', () => {
    const wroteBefore = (milliseconds: number): Assessment | undefined => {
      const writtenAtMs = 1_700_010_000_000 - milliseconds;
      const written = { writtenAtMs, changedAtMs: writtenAtMs };
      const writes = [{ fd: 7, path: '/model.bin', offset: 9, moved: false, deleted: false, ...written }];
      const deep = createDeep({ stdio: [SEVERED, SEVERED, SEVERED], writes });
      return assessIn(createSnapshot([createOrphan({ deep })]));
    };
    expect(wroteBefore(60_000)).toMatchObject({ observation: { writes: 'moving' } });
    expect(wroteBefore(60_000)?.recommended_action).not.toBe('kill');
    expect(wroteBefore(3_600_000)?.recommended_action).toBe('kill');
  });

  test('is not a kill for a supervised process', () => {
    const deep = createDeep({ cgroup: '/system.slice/app.service', stdio: [SEVERED, SEVERED, SEVERED] });
    const found = assessIn(createSnapshot([createOrphan({ deep })]));
    expect(found?.supervisor).toEqual({
      detected: true,
      type: 'systemd',
      unit: 'app.service',
      recommended_action: 'systemctl_stop',
      supervisor_command: 'systemctl stop app.service',
    });
    expect(found?.recommended_action).not.toBe('kill');
    expect(found?.blast_radius.risk_level).toBe('critical');
  });

  test.each([
    [
      'it is writing to a file',
      createDeep({
        stdio: [SEVERED, SEVERED, SEVERED],
        ioBytesDelta: 9,
        writes: [{ fd: 7, path: '/x', offset: 9, moved: true, deleted: false }],
      }),
    ],
    [
      'it has client connections',
      createDeep({ stdio: [SEVERED, SEVERED, SEVERED], listeningPorts: [3000], connections: 1, served: 1 }),
    ],
  ])('is never a kill while %s', (_reason, deep) => {
    expect(assessIn(createSnapshot([createOrphan({ deep })]))?.recommended_action).not.toBe('kill');
  });

  test('is review for a process whose shared log grows, and an inactive one does not write it', () => {
    const writes = [{ fd: 7, path: '/log', offset: 9, moved: true, deleted: false }];
    const inactive = createDeep({ stdio: [SEVERED, SEVERED, SEVERED], writes });
    expect(assessIn(createSnapshot([createOrphan({ deep: inactive })]))).toMatchObject({
      recommended_action: 'review',
      observation: { writes: 'open' },
      vetoes: [{ veto: 'recent_write' }],
    });
    for (const activity of [{ ioBytesDelta: 1 }, { contextSwitchesDelta: 1 }, { ioBytesDelta: null }]) {
      const deep = { ...inactive, ...activity };
      expect(assessIn(createSnapshot([createOrphan({ deep })]))?.observation.writes).toBe('moving');
    }
  });

  test('is not a kill for a tree with a descendant in use', () => {
    const wrapper = createOrphan({ pid: 500 });
    const shell = createProcess({ pid: 501, ppid: 500, session: 501, tty: 34_817, comm: 'bash' });
    const result = assess(createSnapshot([wrapper, shell]), DEFAULT_PARAMETERS, { alpha: ALPHA });
    expect(result.assessments.find(({ pid }) => pid === 500)).toMatchObject({
      recommended_action: 'review',
      infeasible: { kill: 'its descendant 501 is in use: it is not orphaned (terminal)' },
    });
  });

  test('spares processes of an active run, and cites a finished run as evidence', () => {
    const tagged = createOrphan({ deep: createDeep({ runId: 'run-1', stdio: [SEVERED, SEVERED, SEVERED] }) });
    const facts = { item: 'item-1', agent: 'agent-1', status: 'denied', endedAt: '2023-11-15T00:59:30.000Z' };
    const assessWith = (runs: ProcessSnapshot['runs'] = {}): Assessment | undefined =>
      assessIn(createSnapshot([tagged], { runs }));
    expect(assessWith({ 'run-1': { ...facts, alive: true } })?.observation.anchor).toBe('run');
    // An unknown run has no effect.
    expect(assessWith()?.observation).toMatchObject({
      anchor: 'orphan',
      origin: { run: { state: 'unknown' } },
    });
    const ended = assessWith({ 'run-1': { ...facts, alive: false } });
    expect(ended).toMatchObject({
      recommended_action: 'kill',
      observation: { anchor: 'ended_run', lostForMs: 30_000 },
    });
    const cited = 'run run-1 (item item-1, agent agent-1) ended at 2023-11-15T00:59:30.000Z: denied';
    expect(ended?.action_rationale).toContain(cited);
    expect(ended?.ledger.find(({ term }) => term === 'grounds')).toMatchObject({ about: cited });
    expect(sumLedger(ended?.ledger ?? [])).toEqual(ended?.logPosterior);
  });
});

describe('the environment mark of an agent', () => {
  const BOOT = '01234567-89ab-cdef-0123-456789abcdef';
  const SESSION = '00112233445566778899aabbccddeeff';
  const markOf = (pid: number, startTicks: number, space = '77'): Record<string, string> => ({
    [AGENT_MARK]: renderAgentMark({ session: SESSION, pid, bootId: BOOT, startTicks, space }),
  });
  const marked = (environment: Record<string, string>, changes: Partial<ProcessFacts> = {}): ProcessFacts =>
    createOrphan({ deep: createDeep({ environment }), ...changes });
  const agent = createProcess({ pid: 600, startTicks: 1600, comm: 'node' });
  const assessMarked = (
    process: ProcessFacts,
    sessions: ProcessSnapshot['sessions'] = {},
  ): Assessment | undefined => {
    const snapshot = createSnapshot([agent, process]);
    return assessIn({ ...snapshot, sessions, observer: { ...snapshot.observer, pidSpace: '77' } }, [
      process.pid,
    ]);
  };

  test('is evidence if the agent has exited, cited with its session and the time it was last seen', () => {
    const lastSeenAt = '2023-11-15T00:59:50.000Z';
    const found = assessMarked(marked(markOf(601, 1)), { [SESSION]: { lastSeenAt } });
    expect(found).toMatchObject({
      recommended_action: 'kill',
      observation: { anchor: 'ended_agent', lostForMs: 10_000, origin: { agent: { state: 'ended' } } },
    });
    const cited = `its agent (session ${SESSION}, pid 601) has exited, last seen at ${lastSeenAt}`;
    expect(found?.action_rationale).toContain(cited);
    expect(found?.ledger.find(({ term }) => term === 'grounds')?.about).toBe(cited);
    expect(sumLedger(found?.ledger ?? [])).toEqual(found?.logPosterior);
  });

  test('spares processes of a running agent, but not if the pid of the agent was reused', () => {
    expect(assessMarked(marked(markOf(600, 1600)))?.observation.anchor).toBe('agent');
    expect(assessMarked(marked(markOf(600, 1599)))?.observation.anchor).toBe('ended_agent');
  });

  test('is ignored if it is from another pid namespace or boot, or invalid', () => {
    expect(assessMarked(marked(markOf(601, 1, '78')))?.observation.anchor).toBe('orphan');
    const other = markOf(601, 1)[AGENT_MARK]?.replace('01234567-', '11234567-') ?? '';
    expect(assessMarked(marked({ [AGENT_MARK]: other }))?.observation.anchor).toBe('orphan');
    expect(assessMarked(marked({ [AGENT_MARK]: 'nonsense' }))?.observation.origin).toBeNull();
  });

  test.each<[string, Partial<ProcessFacts>]>([
    ['a protected name', { comm: 'sshd' }],
    ['a process of another user', { uid: 0 }],
    ['a process with a running parent', { ppid: 100, session: 100 }],
    ['a process on an open terminal', { ppid: 100, session: 100, tty: 34_816 }],
    ['the observer', { pid: 100, ppid: 1, session: 100, comm: 'bash' }],
  ])('cannot be forged to act on %s', (_whom, changes) => {
    const environment = { ...markOf(601, 1), DEED_RUN_ID: 'run-1' };
    const deep = createDeep({ environment, runId: 'run-1', stdio: [SEVERED, SEVERED, SEVERED] });
    const target = createOrphan({ ...changes, deep });
    const base = createSnapshot([]);
    const snapshot: ProcessSnapshot = {
      ...base,
      processes: [...base.processes.filter(({ pid }) => pid !== target.pid), target],
      observer: { ...base.observer, pidSpace: '77' },
      runs: { 'run-1': { item: 'i', agent: 'a', alive: false, status: 'success', endedAt: null } },
    };
    const found = assess(snapshot, DEFAULT_PARAMETERS, { alpha: ALPHA, pids: [target.pid] }).assessments.find(
      ({ pid }) => pid === target.pid,
    );
    expect(found).toBeDefined();
    expect(['kill', 'pause', 'restart', 'throttle']).not.toContain(found?.recommended_action);
  });
});

describe('a kill is never recommended for', () => {
  const hostile = fc.record({
    comm: fc.constantFrom(
      'sshd',
      'systemd-logind',
      'postgres',
      'dockerd',
      'nginx',
      'Xorg',
      'redis-server',
      'cron',
    ),
    state: fc.constantFrom('S', 'R', 'T', 'D'),
    cpuTicksDelta: fc.nat({ max: 50 }),
    cwdDeleted: fc.boolean(),
    startTicks: fc.nat({ max: 10_000 }),
    command: fc.constantFrom(['node', 'mcp-server-x'], ['npm exec thing'], [], ['chrome', '--headless']),
  });

  test('a protected name, for any other facts', () => {
    fc.assert(
      fc.property(hostile, ({ cwdDeleted, ...facts }) => {
        const deep = createDeep({ cwdDeleted, stdio: [SEVERED, SEVERED, SEVERED] });
        const found = assessIn(createSnapshot([createOrphan({ ...facts, deep })]), [500]);
        expect(found).toMatchObject({ exemption: 'protected_name', recommended_action: 'spare' });
      }),
    );
  });

  test.each<[string, Partial<ProcessFacts>, Partial<ProcessSnapshot['observer']>]>([
    ['itself', { pid: 101 }, {}],
    ['ancestor', { pid: 500 }, { ancestors: [500, 1] }],
    ['kernel_thread', { kernel: true }, {}],
    ['other_user', { uid: 1001 }, {}],
    ['other_user', { uid: 0 }, {}],
    ['young', { cpuTicksDelta: null }, {}],
  ])('%s', (exemption, changes, observer) => {
    const base = createSnapshot([]);
    const orphan = createOrphan(changes);
    const snapshot = {
      ...base,
      observer: { ...base.observer, ...observer },
      processes: [...base.processes.filter(({ pid }) => pid !== orphan.pid), orphan],
    };
    const found = assessIn(snapshot, [orphan.pid], orphan.pid);
    expect(found?.exemption).toBe(exemption);
    expect(['spare', 'review']).toContain(found?.recommended_action);
  });

  test('a process in the terminal session of the observer', () => {
    const base = createSnapshot([]);
    const processes = base.processes.map((process) =>
      process.pid === 101 ? { ...process, tty: 34_816 } : process,
    );
    const orphan = createOrphan({ session: 100, tty: 34_816 });
    expect(assessIn({ ...base, processes: [...processes, orphan] }, [500], 500)?.exemption).toBe(
      'own_session',
    );
  });
});

describe('an assessment', () => {
  test('is deterministic, byte for byte', () => {
    const snapshot = createSnapshot([
      createOrphan(),
      createOrphan({ pid: 600 }),
      createProcess({ pid: 700, state: 'Z' }),
    ]);
    const once = JSON.stringify(assess(snapshot, DEFAULT_PARAMETERS, { alpha: ALPHA }));
    expect(
      JSON.stringify(assess(structuredClone(snapshot), loadParameters(undefined), { alpha: ALPHA })),
    ).toBe(once);
  });

  test('corrects for all processes with grounds and without a veto', () => {
    const useful = Array.from({ length: 50 }, (_, index) => createProcess({ pid: 5000 + index, deep: null }));
    const locked = createDeep({ stdio: [SEVERED, SEVERED, SEVERED], locks: 1 });
    const orphans = [createOrphan(), createOrphan({ pid: 501 }), createOrphan({ pid: 502, deep: locked })];
    const result = assess(createSnapshot([...orphans, ...useful]), DEFAULT_PARAMETERS, { alpha: ALPHA });
    expect(result.eBh).toMatchObject({ m: 2, rejections: 2, threshold: 40 });
    expect(result.assessments.map(({ pid, eBhRejected }) => [pid, eBhRejected])).toEqual([
      [500, true],
      [501, true],
      [502, false],
    ]);
    const strict = assess(createSnapshot(orphans), DEFAULT_PARAMETERS, { alpha: 1e-4 });
    expect(strict.eBh).toMatchObject({ m: 2, rejections: 0, threshold: null });
  });

  test('of a tree lists all its members, leaves first', () => {
    const family = [
      createOrphan({ pid: 500 }),
      createOrphan({ pid: 501, ppid: 500 }),
      createOrphan({ pid: 502, ppid: 501 }),
    ];
    const top = assess(createSnapshot(family), DEFAULT_PARAMETERS, { alpha: ALPHA }).assessments.find(
      ({ pid }) => pid === 500,
    );
    expect(top?.tree.map(({ pid }) => pid)).toEqual([502, 501, 500]);
    expect(top?.blast_radius).toMatchObject({ child_count: 2, memory_mb: 30 });
    expect(top?.blast_radius.dependent_processes.map(({ relationship }) => relationship)).toEqual([
      'child',
      'descendant',
    ]);
  });

  test('escapes names that attack terminals and JSON', () => {
    const name = '\u001B[2J"}],"pid":1\n\u0000\uD800';
    const found = assessIn(createSnapshot([createOrphan({ comm: name, command: [name, 'mcp-server-x'] })]));
    expect(found?.cmd_full).not.toMatch(/\p{Control}/u);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});

function assessIn(
  snapshot: ProcessSnapshot,
  pids: readonly number[] = [],
  pid = 500,
): Assessment | undefined {
  return assess(snapshot, DEFAULT_PARAMETERS, { alpha: ALPHA, pids }).assessments.find(
    (one) => one.pid === pid,
  );
}
