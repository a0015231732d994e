import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
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
import type { SupervisorInfo } from '../assessment.ts';
import { executeAction, type ActionPorts } from './execute-action.ts';
import type { ActionContext, ExpectedProcess } from './live-process.ts';
import { pinExpected, pinProcess, type PinnedProcess } from './pinned-process.ts';
import { restartCommand } from './supervisor-command.ts';

const UNSUPERVISED: SupervisorInfo = {
  detected: false,
  type: null,
  unit: null,
  recommended_action: 'kill',
  supervisor_command: null,
};

let environment: ActionContext;
let scripts: ReturnType<typeof createScriptFolder>;
beforeEach(async () => {
  environment = await actionContext();
  scripts = createScriptFolder();
});
afterEach(() => scripts.dispose());

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
  supervisor = UNSUPERVISED,
  guard: (live: { pid: number }) => string | undefined = () => undefined,
) => executeAction({ action, target: pin(pid), supervisor, guard }, environment, ports(changes));

/** Sets the clock of the action forward once a condition is true after a poll, so that the grace period ends then. */
function endGraceWhen(condition: () => boolean): { readonly graceMs: number } {
  const graceMs = 60_000;
  const actual = environment;
  let offsetMs = 0;
  environment = {
    ...actual,
    monotonicMs: () => actual.monotonicMs() + offsetMs,
    sleep: async (ms) => {
      await actual.sleep(ms);
      if (condition()) offsetMs = graceMs;
    },
  };
  return { graceMs };
}

describe('a kill', () => {
  it('terminates a whole tree with SIGTERM, leaves first', async () => {
    const { pid } = scripts.start(
      `sh -c 'sh -c "echo \\$\\$ > leaf; sleep 1000" & echo $$ > middle; wait' & wait`,
    );
    const [middle, leaf] = [
      await fileOf(join(scripts.folder, 'middle')),
      await fileOf(join(scripts.folder, 'leaf')),
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
      'Exited after SIGTERM.',
      false,
    ]);
    expect(outcome.members?.length).toBe(4);
    expect(signals.slice(1)).toEqual([`${Number(leaf)} 15`, `${Number(middle)} 15`, `${pid} 15`]);
    for (const one of [pid, Number(middle), Number(leaf)]) expect(isAlive(one)).toBe(false);
  });

  it('sends SIGKILL to a process that ignores SIGTERM, only after the grace period', async () => {
    // The script starts no other program: a process that is pinned between fork and exec would not get SIGKILL.
    const { pid } = scripts.start(`mkfifo never; trap '' TERM; echo > ready; read x < never`);
    await fileOf(join(scripts.folder, 'ready'));
    const outcome = await run('kill', pid, { graceMs: 120 });
    expect([outcome.outcome, outcome.forced]).toEqual(['success', true]);
    expect(outcome.timeToDeathMs).toBeGreaterThanOrEqual(120);
    expect(isAlive(pid)).toBe(false);
  });

  it('terminates a stopped process', async () => {
    const { pid } = scripts.start('echo > ready; exec sleep 1000');
    await fileOf(join(scripts.folder, 'ready'));
    process.kill(pid, 'SIGSTOP');
    await until(() => machine.readProcess(pid)?.state === 'T', 'it is stopped');
    expect((await run('kill', pid)).reason).toBe('Exited after SIGTERM.');
  });

  it('kills children that appear during the grace period', async () => {
    const { pid } = scripts.start(
      // The child runs no other program: one that is pinned between fork and exec would not get SIGKILL.
      `mkfifo never; trap '(trap "" TERM; read x < never) & echo $! > late' TERM; echo > ready; while :; do wait; done`,
    );
    await fileOf(join(scripts.folder, 'ready'));
    const outcome = await run(
      'kill',
      pid,
      endGraceWhen(() => existsSync(join(scripts.folder, 'late'))),
    );
    expect(outcome.outcome).toBe('success');
    const late = Number(await fileOf(join(scripts.folder, 'late')));
    await until(() => !isAlive(late), 'the late child has exited');
  });

  it('sends no SIGKILL to a process that runs another program after the grace period', async () => {
    const { pid } = scripts.start(`trap 'exec sleep 1001' TERM; echo > ready; while :; do wait; done`);
    await fileOf(join(scripts.folder, 'ready'));
    const { exe } = expectedOf(pid);
    const outcome = await run(
      'kill',
      pid,
      endGraceWhen(() => machine.readProcess(pid)?.exe !== exe),
    );
    expect(outcome.outcome).toBe('failed');
    expect(outcome.reason).toContain('now runs a different program');
    expect(isAlive(pid)).toBe(true);
  });

  it('does nothing to a tree with a protected member', async () => {
    const { pid } = scripts.start('sleep 1000 & echo $! > child; wait');
    const child = Number(await fileOf(join(scripts.folder, 'child')));
    const outcome = await run('kill', pid, {}, UNSUPERVISED, (live) =>
      live.pid === child ? 'it is protected' : undefined,
    );
    expect([outcome.outcome, outcome.reason]).toEqual(['blocked', 'it is protected']);
    expect([isAlive(pid), isAlive(child)]).toEqual([true, true]);
  });
});

describe('pinning a process', () => {
  it('fails for a process that runs another program', async () => {
    const { pid } = scripts.start('echo > ready; while [ ! -e go ]; do sleep 0.02; done; exec sleep 1000');
    await fileOf(join(scripts.folder, 'ready'));
    const expected = expectedOf(pid);
    writeFileSync(join(scripts.folder, 'go'), '');
    await until(() => machine.readProcess(pid)?.exe !== expected.exe, 'it runs another program');
    expect(pinExpected(environment, expected)).toMatchObject({
      kind: 'changed',
      difference: `pid ${pid} now runs a different program`,
    });
  });

  it.each([
    ['start time', { startTicks: 1 }, 'started at tick'],
    ['owner', { uid: 4_000_000 }, 'belongs to uid'],
  ])('fails for a process with another %s', (_what, changes, difference) => {
    const { pid } = scripts.start('exec sleep 1000');
    expect(pinExpected(environment, { ...expectedOf(pid), exe: null, ...changes })).toMatchObject({
      kind: 'changed',
      difference: expect.stringContaining(difference) as string,
    });
  });

  it('sends no signal after the process has exited', async () => {
    const child = scripts.start('exec sleep 1000');
    const pinned = pin(child.pid);
    child.kill('SIGKILL');
    await until(() => pinned.hasEnded(), 'it has exited');
    await until(() => machine.readProcess(child.pid) === undefined, 'it was reaped');
    expect(() => pinned.send('SIGKILL')).not.toThrow();
    expect(pinExpected(environment, { pid: child.pid, startTicks: 1, uid: null, exe: null })).toEqual({
      kind: 'gone',
    });
  });

  it('fails without pidfds, and no signal is sent', async () => {
    const { pid } = scripts.start('exec sleep 1000');
    const withoutPidfds: ActionContext = {
      ...environment,
      libc: {
        ...environment.libc,
        pidfdOpen: () => {
          throw Object.assign(new Error('no such call'), { code: 'ENOSYS' });
        },
      },
    };
    expect(() => pinProcess(withoutPidfds, pid)).toThrow(
      expect.objectContaining({ code: 'E_CONFIG' }) as Error,
    );
    expect(isAlive(pid)).toBe(true);
  });
});

describe('a pause', () => {
  it('stops a tree, and SIGCONT resumes it', async () => {
    const { pid } = scripts.start('sleep 1000 & echo $! > child; wait');
    const child = Number(await fileOf(join(scripts.folder, 'child')));
    expect((await run('pause', pid)).outcome).toBe('success');
    expect([pid, child].map((one) => machine.readProcess(one)?.state)).toEqual(['T', 'T']);
    process.kill(pid, 'SIGCONT');
    await until(() => machine.readProcess(pid)?.state !== 'T', 'it is resumed');
  });
});

describe('a throttle', () => {
  it('lowers the priority where no cgroup can be created, and reports that as irreversible', async () => {
    const { pid } = scripts.start('exec sleep 1000');
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
  ] as const)('creates a cgroup in a fixture: %s', async (method, cgroups, parent, limits) => {
    const { pid } = scripts.start('exec sleep 1000');
    const root = join(scripts.folder, 'cgroup');
    const { startTicks } = expectedOf(pid);
    // The kernel creates the files of a new cgroup; here they exist before.
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
  const hasCgroupV1 = process.getuid?.() === 0 && existsSync(cpu);
  // Skipped where no cgroup of version 1 can be created.
  it.runIf(hasCgroupV1)('creates a cgroup on this machine', async () => {
    const { pid } = scripts.start('exec sleep 1000');
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
  ] as const)('of %s %s runs the command of the supervisor', async (type, unit, command, argv) => {
    const { pid } = scripts.start('exec sleep 1000');
    const calls: (readonly string[])[] = [];
    const outcome = await run(
      'restart',
      pid,
      { runSupervisor: async (command) => (calls.push(command), { exitCode: 0, stderr: '' }) },
      supervised(type, unit, command),
    );
    expect([outcome.outcome, calls]).toEqual(['success', [argv]]);
    expect(isAlive(pid)).toBe(true);
  });

  it('reports the stderr of a supervisor that fails', async () => {
    const { pid } = scripts.start('exec sleep 1000');
    const outcome = await run(
      'restart',
      pid,
      { runSupervisor: async () => ({ exitCode: 3, stderr: 'no such unit\n' }) },
      supervised('pm2', 'api', 'pm2 stop api'),
    );
    expect([outcome.outcome, outcome.reason]).toEqual([
      'failed',
      'pm2 restart api exited with 3: no such unit',
    ]);
  });

  it.each(['--all', '-x', '', 'a b', 'a;b', 'a\nb'])(
    'has no command for the invalid unit name "%s"',
    (unit) => {
      expect(restartCommand(supervised('pm2', unit, `pm2 stop ${unit}`))).toBeUndefined();
    },
  );

  it('of an unsupervised process is blocked', async () => {
    const { pid } = scripts.start('exec sleep 1000');
    expect((await run('restart', pid)).outcome).toBe('blocked');
  });
});
