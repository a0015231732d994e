import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  actionContext,
  createStage,
  fileOf,
  isAlive,
  machine,
  until,
} from '../../../test/fixtures/real-processes.ts';
import type { SupervisorInfo } from '../assessment.ts';
import { executeAction, type ActionPorts } from './execute-action.ts';
import type { ActionContext, ExpectedProcess } from './live-process.ts';
import { pinExpected, pinProcess, type PinnedProcess } from './pinned-process.ts';
import { restartCommand } from './supervisor-command.ts';

const ALONE: SupervisorInfo = {
  detected: false,
  type: null,
  unit: null,
  recommended_action: 'kill',
  supervisor_command: null,
};

let environment: ActionContext;
let stage: ReturnType<typeof createStage>;
beforeEach(async () => {
  environment = await actionContext();
  stage = createStage();
});
afterEach(() => stage.dispose());

const ports = (changes: Partial<ActionPorts> = {}): ActionPorts => ({
  graceMs: 10_000,
  cgroupRoot: '/nonexistent',
  cgroupsOf: machine.cgroupsOf,
  setNice: setPriority,
  runSupervisor: async () => ({ exitCode: 0, stderr: '' }),
  ...changes,
});

function expectedOf(pid: number): ExpectedProcess {
  const live = machine.readProcess(pid);
  if (live === undefined) throw new Error(`no process ${pid}`);
  return live;
}

function pin(pid: number): PinnedProcess {
  const pinned = pinProcess(environment, pid);
  if (pinned === undefined) throw new Error(`no process ${pid}`);
  return pinned;
}

const run = (
  action: 'kill' | 'pause' | 'throttle' | 'restart',
  pid: number,
  changes?: Partial<ActionPorts>,
  supervisor = ALONE,
  guard: (live: { pid: number }) => string | undefined = () => undefined,
) => executeAction({ action, target: pin(pid), supervisor, guard }, environment, ports(changes));

/** Long enough for a shell on a busy machine to run its trap; what ignores the signal is waited for as long. */
const SLOW_GRACE_MS = 3000;

describe('a kill', () => {
  it('ends a whole tree, leaves first, by asking', async () => {
    const { pid } = stage.start(
      `sh -c 'sh -c "echo \\$\\$ > leaf; sleep 1000" & echo $$ > middle; wait' & wait`,
    );
    const [middle, leaf] = [
      await fileOf(join(stage.folder, 'middle')),
      await fileOf(join(stage.folder, 'leaf')),
    ];
    await until(
      () => machine.listParents().some(({ ppid }) => ppid === Number(leaf)),
      'the leaf has its sleep',
    );
    const signals: string[] = [];
    const actual = environment.libc;
    const pids = new Map<number, number>();
    environment = {
      ...environment,
      libc: {
        ...environment.libc,
        pidfdOpen: (one) => {
          const descriptor = actual.pidfdOpen(one);
          pids.set(descriptor, one);
          return descriptor;
        },
        pidfdSendSignal: (descriptor, signal) => {
          if (signal !== 0) signals.push(`${pids.get(descriptor)} ${signal}`);
          return actual.pidfdSendSignal(descriptor, signal);
        },
      },
    };
    const outcome = await run('kill', pid);
    expect([outcome.outcome, outcome.reason, outcome.forced]).toEqual([
      'success',
      'Ended when asked.',
      false,
    ]);
    expect(outcome.members?.length).toBe(4);
    expect(signals.slice(1)).toEqual([`${Number(leaf)} 15`, `${Number(middle)} 15`, `${pid} 15`]);
    for (const one of [pid, Number(middle), Number(leaf)]) expect(isAlive(one)).toBe(false);
  });

  it('forces what does not end when asked, and only after the grace', async () => {
    const { pid } = stage.start(`trap '' TERM; echo > ready; while :; do sleep 0.02; done`);
    await fileOf(join(stage.folder, 'ready'));
    const outcome = await run('kill', pid, { graceMs: 120 });
    expect([outcome.outcome, outcome.forced]).toEqual(['success', true]);
    expect(outcome.timeToDeathMs).toBeGreaterThanOrEqual(120);
    expect(isAlive(pid)).toBe(false);
  });

  it('reaches a process that is stopped', async () => {
    const { pid } = stage.start('echo > ready; exec sleep 1000');
    await fileOf(join(stage.folder, 'ready'));
    process.kill(pid, 'SIGSTOP');
    await until(() => machine.readProcess(pid)?.state === 'T', 'it is stopped');
    expect((await run('kill', pid)).reason).toBe('Ended when asked.');
  });

  it('takes along children that appear while it waits', async () => {
    const { pid } = stage.start(
      // Nothing else is started meanwhile: what is seen between fork and exec would be another program a moment later.
      `trap 'sleep 1000 & echo $! > late' TERM; echo > ready; while :; do wait; done`,
    );
    await fileOf(join(stage.folder, 'ready'));
    const outcome = await run('kill', pid, { graceMs: SLOW_GRACE_MS });
    expect(outcome.outcome).toBe('success');
    const late = Number(await fileOf(join(stage.folder, 'late')));
    await until(() => !isAlive(late), 'the late child has ended');
  });

  it('does not force a process that became another program while it waited', async () => {
    const { pid } = stage.start(`trap 'exec sleep 1001' TERM; echo > ready; while :; do wait; done`);
    await fileOf(join(stage.folder, 'ready'));
    const outcome = await run('kill', pid, { graceMs: SLOW_GRACE_MS });
    expect(outcome.outcome).toBe('failed');
    expect(outcome.reason).toContain('runs another program now');
    expect(isAlive(pid)).toBe(true);
  });

  it('leaves the whole tree alone when one member must not be touched', async () => {
    const { pid } = stage.start('sleep 1000 & echo $! > child; wait');
    const child = Number(await fileOf(join(stage.folder, 'child')));
    const outcome = await run('kill', pid, {}, ALONE, (live) =>
      live.pid === child ? 'it is dear to us' : undefined,
    );
    expect([outcome.outcome, outcome.reason]).toEqual(['blocked', 'it is dear to us']);
    expect([isAlive(pid), isAlive(child)]).toEqual([true, true]);
  });
});

describe('the hold on a process', () => {
  it('is refused to another program under the same pid', async () => {
    const { pid } = stage.start('echo > ready; while [ ! -e go ]; do sleep 0.02; done; exec sleep 1000');
    await fileOf(join(stage.folder, 'ready'));
    const expected = expectedOf(pid);
    writeFileSync(join(stage.folder, 'go'), '');
    await until(() => machine.readProcess(pid)?.exe !== expected.exe, 'it runs another program');
    expect(pinExpected(environment, expected)).toMatchObject({
      kind: 'changed',
      difference: `pid ${pid} runs another program now`,
    });
  });

  it.each([
    ['ticks', { startTicks: 1 }, 'was started at tick'],
    ['owner', { uid: 4_000_000 }, 'belongs to uid'],
  ])('is refused to a process with other %s', (_what, changes, difference) => {
    const { pid } = stage.start('exec sleep 1000');
    expect(pinExpected(environment, { ...expectedOf(pid), exe: null, ...changes })).toMatchObject({
      kind: 'changed',
      difference: expect.stringContaining(difference) as string,
    });
  });

  it('reaches nobody when the process has ended, not even its successor', async () => {
    const child = stage.start('exec sleep 1000');
    const pinned = pin(child.pid);
    child.kill('SIGKILL');
    await until(() => pinned.hasEnded(), 'it has ended');
    await until(() => machine.readProcess(child.pid) === undefined, 'it was collected');
    expect(() => pinned.send('SIGKILL')).not.toThrow();
    expect(pinExpected(environment, { pid: child.pid, startTicks: 1, uid: null, exe: null })).toEqual({
      kind: 'gone',
    });
  });

  it('is all there is: without descriptors nothing is signalled', async () => {
    const { pid } = stage.start('exec sleep 1000');
    const bare: ActionContext = {
      ...environment,
      libc: {
        ...environment.libc,
        pidfdOpen: () => {
          throw Object.assign(new Error('no such call'), { code: 'ENOSYS' });
        },
      },
    };
    expect(() => pinProcess(bare, pid)).toThrow(expect.objectContaining({ code: 'E_CONFIG' }) as Error);
    expect(isAlive(pid)).toBe(true);
  });
});

describe('a pause', () => {
  it('stops a tree, and SIGCONT lets it go on', async () => {
    const { pid } = stage.start('sleep 1000 & echo $! > child; wait');
    const child = Number(await fileOf(join(stage.folder, 'child')));
    expect((await run('pause', pid)).outcome).toBe('success');
    expect([pid, child].map((one) => machine.readProcess(one)?.state)).toEqual(['T', 'T']);
    process.kill(pid, 'SIGCONT');
    await until(() => machine.readProcess(pid)?.state !== 'T', 'it goes on');
  });
});

describe('a throttle', () => {
  it('lowers the priority where no control group may be made, and says that this stays', async () => {
    const { pid } = stage.start('exec sleep 1000');
    const outcome = await run('throttle', pid);
    expect(outcome.throttle).toEqual({ method: 'renice', cgroup: null, previous: null, reversible: false });
    expect(getPriority(pid)).toBe(19);
  });

  it.each([
    ['cgroup_v2', [{ controllers: [], path: '/user/app' }], 'user', { 'cpu.max': '25000 100000' }],
    [
      'cgroup_v1',
      [
        { controllers: ['memory'], path: '/x' },
        { controllers: ['cpu', 'cpuacct'], path: '/user' },
      ],
      'cpu/user',
      { 'cpu.cfs_quota_us': '25000', 'cpu.cfs_period_us': '100000' },
    ],
  ] as const)('makes a group of its own: %s, on a fixture', async (method, cgroups, parent, limits) => {
    const { pid } = stage.start('exec sleep 1000');
    const root = join(stage.folder, 'cgroup');
    const { startTicks } = expectedOf(pid);
    // The kernel fills a new group with its files; here they are there before.
    const group = join(root, parent, `deed-throttle-${pid}-${startTicks}`);
    mkdirSync(group, { recursive: true });
    for (const name of Object.keys(limits)) writeFileSync(join(group, name), ' '.repeat(12));
    writeFileSync(join(group, 'cgroup.procs'), '');
    const outcome = await run('throttle', pid, { cgroupRoot: root, cgroupsOf: () => cgroups });
    expect(outcome.throttle).toMatchObject({ method, cgroup: group, reversible: true });
    for (const [name, value] of Object.entries(limits))
      expect(readFileSync(join(group, name), 'utf8').trim()).toBe(value);
    expect(readFileSync(join(group, 'cgroup.procs'), 'utf8')).toBe(`${pid}\n`);
  });

  const cpu = '/sys/fs/cgroup/cpu/cpu.cfs_quota_us';
  const canGroup = process.getuid?.() === 0 && existsSync(cpu);
  // Left out where no control group of version 1 can be made.
  it.runIf(canGroup)('is real under the control groups of this machine', async () => {
    const { pid } = stage.start('exec sleep 1000');
    const outcome = await run('throttle', pid, { cgroupRoot: '/sys/fs/cgroup' });
    expect(outcome.throttle?.method).toBe('cgroup_v1');
    const group = outcome.throttle?.cgroup ?? '';
    expect(readFileSync(join(group, 'cpu.cfs_quota_us'), 'utf8').trim()).toBe('25000');
    expect(readFileSync(join(group, 'cgroup.procs'), 'utf8').trim()).toBe(String(pid));
    await run('kill', pid);
    await until(() => readFileSync(join(group, 'cgroup.procs'), 'utf8') === '', 'the group is empty');
    (await import('node:fs')).rmdirSync(group);
  });
});

describe('a restart', () => {
  const supervised = (type: SupervisorInfo['type'], unit: string, command: string): SupervisorInfo => ({
    detected: true,
    type,
    unit,
    recommended_action: 'restart',
    supervisor_command: command,
  });

  it.each([
    [
      'systemd',
      'a.service',
      'systemctl --user stop a.service',
      ['systemctl', '--user', 'restart', 'a.service'],
    ],
    ['systemd', 'a@b.service', 'systemctl stop a@b.service', ['systemctl', 'restart', 'a@b.service']],
    ['docker', '0123abcd', 'docker stop 0123abcd', ['docker', 'restart', '0123abcd']],
    ['pm2', 'api', 'pm2 stop api', ['pm2', 'restart', 'api']],
    ['pm2', '0', 'env PM2_HOME=/srv/pm2 pm2 stop 0', ['env', 'PM2_HOME=/srv/pm2', 'pm2', 'restart', '0']],
    ['supervisord', 'group:web', 'supervisorctl stop group:web', ['supervisorctl', 'restart', 'group:web']],
    [
      'supervisord',
      'web',
      'supervisorctl -s unix:///run/own.sock stop web',
      ['supervisorctl', '-s', 'unix:///run/own.sock', 'restart', 'web'],
    ],
  ] as const)('of %s %s goes through its own program', async (type, unit, command, argv) => {
    const { pid } = stage.start('exec sleep 1000');
    const calls: (readonly string[])[] = [];
    const outcome = await run(
      'restart',
      pid,
      { runSupervisor: async (given) => (calls.push(given), { exitCode: 0, stderr: '' }) },
      supervised(type, unit, command),
    );
    expect([outcome.outcome, calls]).toEqual(['success', [argv]]);
    expect(isAlive(pid)).toBe(true);
  });

  it('tells what the supervisor said when it refused', async () => {
    const { pid } = stage.start('exec sleep 1000');
    const outcome = await run(
      'restart',
      pid,
      { runSupervisor: async () => ({ exitCode: 3, stderr: 'no such unit\n' }) },
      supervised('pm2', 'api', 'pm2 stop api'),
    );
    expect([outcome.outcome, outcome.reason]).toEqual([
      'failed',
      'pm2 restart api ended with 3: no such unit',
    ]);
  });

  it.each(['--all', '-x', '', 'a b', 'a;b', 'a\nb'])('is refused for a unit called "%s"', (unit) => {
    expect(restartCommand(supervised('pm2', unit, `pm2 stop ${unit}`))).toBeUndefined();
  });

  it('of nothing that is supervised is blocked', async () => {
    const { pid } = stage.start('exec sleep 1000');
    expect((await run('restart', pid)).outcome).toBe('blocked');
  });
});
