import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  actionContext,
  createScriptFolder,
  fileOf,
  isAlive,
  machine,
  until,
} from '../../../test/fixtures/real-processes.ts';
import type { Action, Assessment } from '../assessment.ts';
import { executeAction } from '../actions/execute-action.ts';
import { pinProcess } from '../actions/pinned-process.ts';
import type { PlanDocument } from '../plan-document.ts';
import { presentVerification } from '../present/present-verification.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import { refusalOf } from './refusal.ts';
import { verifyOutcomes } from './verify-outcomes.ts';

let scripts: ReturnType<typeof createScriptFolder>;
beforeEach(() => {
  scripts = createScriptFolder();
});
afterEach(() => scripts.dispose());

const HOST = { bootTimeSeconds: 0, ticksPerSecond: 100 };

function entryOf(pid: number, action: Action, changes: Partial<OutcomeEntry> = {}): OutcomeEntry {
  const startTicks = machine.readProcess(pid)?.startTicks ?? 0;
  return {
    target: { pid, start_id: `1.${pid}`, startTicks },
    action,
    stage: 1,
    progress: 'done',
    outcome: 'success',
    reason: '',
    gates: [],
    startedAt: new Date().toISOString(),
    durationMs: 1,
    members: [{ pid, startTicks, memoryBytes: 5 * 1024 * 1024 }],
    ...changes,
  };
}

function verify(entries: readonly OutcomeEntry[], trees: Readonly<Record<number, Assessment['tree']>> = {}) {
  const assessments = entries.map(({ target }) => ({
    pid: target.pid,
    startTicks: target.startTicks,
    uid: process.getuid?.() ?? 0,
    exe: null,
    blast_radius: { memory_mb: 10 },
    tree: trees[target.pid] ?? [],
  }));
  const plan = { host: HOST, judgement: { assessments } } as unknown as PlanDocument;
  return verifyOutcomes(plan, entries, machine, Date.now());
}

describe('verification', () => {
  it('expects the memory of each process once, even if it is a target and in the tree of another one', () => {
    const memberOf = (pid: number) => ({ pid, startTicks: 0, memoryMb: 10 });
    const [child, parent] = [2_000_000_001, 2_000_000_002];
    const found = verify([entryOf(child, 'kill'), entryOf(parent, 'kill')], {
      [child]: [memberOf(child)],
      [parent]: [memberOf(child), memberOf(parent)],
    });
    expect(found.map(({ expectedMb }) => expectedMb)).toEqual([10, 10]);
  });

  it('reports running, stopped, throttled and exited targets', async () => {
    const [running, stopped, throttled, ended] = [1, 2, 3, 4].map(() => scripts.start('exec sleep 1000'));
    if (!running || !stopped || !throttled || !ended) throw new Error('not started');
    process.kill(stopped.pid, 'SIGSTOP');
    await until(() => machine.readProcess(stopped.pid)?.state === 'T', 'it is stopped');
    const entries = [
      entryOf(running.pid, 'kill', { outcome: 'failed' }),
      entryOf(stopped.pid, 'pause'),
      entryOf(throttled.pid, 'throttle'),
      entryOf(ended.pid, 'kill'),
    ];
    ended.kill('SIGKILL');
    await until(() => !isAlive(ended.pid), 'it has exited');
    const found = verify(entries);
    expect(found.map(({ outcome, asIntended }) => [outcome, asIntended])).toEqual([
      ['still_running', false],
      ['confirmed_stopped', true],
      ['still_running', true],
      ['confirmed_dead', true],
    ]);
    const times = { requestedAt: 'a', completedAt: 'b' };
    expect(presentVerification(found, times)).toMatchObject({
      verification: { overall_status: 'partial_success', confirmed: 3, total: 4 },
      // Only the exited process frees memory, as much as it used.
      resource_summary: {
        memory_freed_mb: 5,
        expected_mb: 20,
        shortfall_reason: '2 of 4 still running; some trees are still partly running.',
      },
    });
  });

  it('reports surviving members of a tree, and counts the memory of exited ones', async () => {
    const root = scripts.start('sleep 1000 & echo $! > child; wait');
    const child = Number(await fileOf(join(scripts.folder, 'child')));
    const members = [child, root.pid].map((pid) => ({
      pid,
      startTicks: machine.readProcess(pid)?.startTicks ?? 0,
      memoryBytes: 2 * 1024 * 1024,
    }));
    const entry = entryOf(root.pid, 'kill', { members });
    root.kill('SIGKILL');
    await until(() => !isAlive(root.pid), 'the root has exited');
    expect(verify([entry])[0]).toMatchObject({
      outcome: 'confirmed_dead',
      asIntended: false,
      survivors: [child],
      freedBytes: 2 * 1024 * 1024,
    });
  });

  it('reports a target that exited because of another action, and counts its memory once', () => {
    const gone = { gate: 'identity_valid', verdict: 'skip', reason: 'gone' } as const;
    const parent = entryOf(4_000_001, 'kill', { outcome: 'skipped', gates: [gone] });
    const child = entryOf(4_000_002, 'kill', {
      members: [{ pid: 4_000_002, startTicks: 0, memoryBytes: 1024 * 1024 }],
    });
    const found = verify([child, parent], { 4_000_001: [{ pid: 4_000_002, startTicks: 0 }] });
    expect(found.map(({ outcome, freedBytes }) => [outcome, freedBytes])).toEqual([
      ['confirmed_dead', 1024 * 1024],
      ['cascaded', 0],
    ]);
  });

  it('omits actions that a gate stopped', () => {
    expect(verify([entryOf(process.pid, 'kill', { outcome: 'skipped' })])).toEqual([]);
  });
});

describe('a missing permission', () => {
  it('is reported with a hint', async () => {
    const environment = await actionContext();
    const { pid } = scripts.start('exec sleep 1000');
    const pinned = pinProcess(environment, pid);
    if (pinned === undefined) throw new Error('not started');
    const forbidden = {
      ...pinned,
      send: () => {
        throw Object.assign(new Error('no'), { code: 'EPERM' });
      },
    };
    const denied = pinProcess(
      {
        ...environment,
        libc: {
          ...environment.libc,
          pidfdSendSignal: (_fd, signal) => (signal === 0 ? undefined : forbidden.send()),
        },
      },
      pid,
    );
    if (denied === undefined) throw new Error('not pinned');
    const supervisor = {
      detected: false,
      type: null,
      unit: null,
      recommended_action: 'kill',
      supervisor_command: null,
    };
    const ports = {
      graceMs: 10,
      cgroupRoot: '/nonexistent',
      cgroupsOf: () => [],
      setNice: () => undefined,
      runSupervisor: async () => ({ exitCode: 0, stderr: '' }),
    };
    const outcome = await executeAction(
      { action: 'kill', target: denied, supervisor, guard: () => undefined },
      environment,
      ports,
    );
    expect(outcome).toMatchObject({
      outcome: 'failed',
      escalation: expect.stringContaining('sudo') as string,
    });
    const fault = refusalOf([
      entryOf(pid, 'kill', {
        outcome: 'failed',
        reason: outcome.reason,
        escalation: outcome.escalation ?? '',
      }),
    ]);
    expect(fault).toMatchObject({ code: 'E_FORBIDDEN', hint: expect.stringContaining('sudo') as string });
    expect(isAlive(pid)).toBe(true);
  });
});
