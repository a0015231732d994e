import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { writeProcRoot, type MachineFiles, type ProcEntry } from '../../../test/fixtures/proc-root.ts';
import { until } from '../../../test/fixtures/real-processes.ts';
import { ended, killNow } from '../../../test/fixtures/start-node.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import { startId, type ProcessFacts, type ProcessSnapshot } from '../process-snapshot.ts';
import { collect, type CollectOptions } from './collect.ts';

const OWN_UID = process.getuid?.() ?? 0;
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

describe('a snapshot of this machine', () => {
  test('contains this process with its ancestors', async () => {
    const snapshot = await collect('/proc', { ...options(), deepPids: [process.pid] });
    const own = find(snapshot, process.pid);
    expect(own).toMatchObject({ ppid: process.ppid, uid: OWN_UID, kernel: false });
    expect(own?.deep).toMatchObject({ cwd: process.cwd(), cwdDeleted: false, descriptorsReadable: true });
    expect(snapshot.observer.ancestors[0]).toBe(process.ppid);
    expect(snapshot.bootId).toMatch(/^[0-9a-f-]{36}$/u);
    const startedAt = Number(startId(snapshot, own ?? { pid: 0, startTicks: 0 }).split('.')[0]);
    expect(Math.abs(startedAt - (Date.now() / 1000 - process.uptime()))).toBeLessThan(60);
  });

  test('shows no activity of an idle process, and that of a spinning one', async () => {
    const idle = spawn('sleep', ['600']);
    const busy = spawn('bash', ['-c', 'echo; while :; do :; done']);
    try {
      // Until then they are still starting.
      await once(busy.stdout, 'data');
      await until(
        () => readFileSync(`/proc/${idle.pid}/stat`, 'latin1').includes('(sleep) S '),
        'the process is idle',
      );
      const pids = [idle.pid ?? 0, busy.pid ?? 0];
      const snapshot = await collect('/proc', { ...options(), windowMs: 400, deepPids: pids });
      expect(find(snapshot, pids[0])?.cpuTicksDelta).toBe(0);
      expect(find(snapshot, pids[1])?.cpuTicksDelta).toBeGreaterThan(0);
      expect(find(snapshot, pids[1])?.deep).toMatchObject({ contextSwitchesDelta: 0, ioBytesDelta: 0 });
    } finally {
      await killNow(idle);
      await killNow(busy);
    }
  });

  test('shows whether the other end of a stream is open: socket pairs and pipes', async () => {
    const held = spawn('sleep', ['600']);
    const severed = spawn('sleep', ['600']);
    // Prints the pid of the writer, and an empty line when the reader has closed the pipe.
    const piped = spawn('bash', ['-c', 'sleep 600 | (exec 0<&-; echo; sleep 600) & jobs -p; wait'], {
      detached: true,
    });
    let printed = '';
    piped.stdout.on('data', (text: Buffer) => (printed += text.toString()));
    severed.stdin.destroy();
    severed.stdout.destroy();
    severed.stderr.destroy();
    await until(() => printed.split('\n').length === 3, 'the pipe is closed');
    const writer = Number(printed.trim());
    await until(
      () => readFileSync(`/proc/${writer}/stat`, 'latin1').includes('(sleep)'),
      'the writer has its streams',
    );
    try {
      const pids = [held.pid ?? 0, severed.pid ?? 0, writer];
      const snapshot = await collect('/proc', { ...options(), deepPids: pids });
      const peers = (pid?: number) => find(snapshot, pid)?.deep?.stdio.map(({ peer }) => peer);
      expect(peers(held.pid)).toEqual(['alive', 'alive', 'alive']);
      expect(peers(severed.pid)).toEqual(['gone', 'gone', 'gone']);
      expect(find(snapshot, writer)?.deep?.stdio[1]).toMatchObject({ kind: 'pipe', peer: 'gone' });
    } finally {
      await killNow(held);
      await killNow(severed);
      process.kill(-(piped.pid ?? 0), 'SIGKILL');
      await ended(piped);
    }
  });

  test('shows that nohup started a program, even one that resets ignored signals', async () => {
    const unreadable = openSync('/dev/null', 'w');
    const byNohup = spawn('sleep', ['600'], { stdio: [unreadable, 'ignore', 'ignore'] });
    const other = spawn('sleep', ['600'], { stdio: 'ignore' });
    closeSync(unreadable);
    try {
      const pids = [byNohup.pid ?? 0, other.pid ?? 0];
      const snapshot = await collect('/proc', { ...options(), deepPids: pids });
      const ignores = pids.map((pid) => find(snapshot, pid)?.deep?.use?.ignoresHangup);
      expect(ignores).toEqual([true, false]);
    } finally {
      await killNow(byNohup);
      await killNow(other);
    }
  });

  test('contains a process that started during the window, without a delta', async () => {
    let late = spawn('true');
    const snapshot = await collect('/proc', {
      ...options(),
      sleep: async (milliseconds) => {
        late = spawn('sleep', ['600']);
        await sleep(milliseconds);
      },
    });
    await killNow(late);
    expect(find(snapshot, late.pid)?.cpuTicksDelta).toBeNull();
  });
});

describe('a snapshot of another proc root', () => {
  const orphan: ProcEntry = {
    pid: 50,
    session: 40,
    comm: 'node',
    uid: OWN_UID,
    cmdline: ['node', 'server.js'],
    cwd: '/gone/tree (deleted)',
    environ: { DEED_RUN_ID: 'run-1', SECRET_TOKEN: 'x' },
    fd: { 0: 'pipe:[900]', 1: 'socket:[901]', 2: '/dev/null', 5: '/data/file' },
    cgroup: '0::/system.slice/docker-77aa77aa77aa77aa.scope\n',
  };
  const init: ProcEntry = { pid: 1, ppid: 0, session: 1, comm: 'systemd', fd: {} };

  test('reads nothing else', async () => {
    const unix = '01: 00000002 00000000 00000000 0001 03 901\n';
    const snapshot = await collect(makeRoot([init, orphan], { unix }), options());
    expect(snapshot.processes.map(({ pid }) => pid)).toEqual([1, 50]);
    expect(snapshot).toMatchObject({ bootTimeSeconds: 1_700_000_000, cpuCount: 2 });
    expect(find(snapshot, 50)?.deep).toMatchObject({
      cwd: '/gone/tree',
      cwdDeleted: true,
      runId: 'run-1',
      environment: { DEED_RUN_ID: 'run-1' },
      container: '77aa77aa77aa77aa',
      writes: [{ fd: 5, path: '/data/file', moved: false }],
    });
    expect(find(snapshot, 50)?.deep?.stdio.map(({ peer }) => peer)).toEqual(['gone', 'gone', 'none']);
    expect(JSON.stringify(snapshot)).not.toContain('SECRET_TOKEN');
  });

  test('does not take a pipe for closed that a process may hold whose descriptors are not readable', async () => {
    const root = makeRoot([init, orphan, { pid: 60, session: 60, comm: 'sshd', fd: {} }]);
    const readInput = async () => find(await collect(root, options()), 50)?.deep?.stdio[0]?.peer;
    expect(await readInput()).toBe('gone');
    rmSync(join(root, '60/fd'), { recursive: true, force: true });
    expect(await readInput()).toBe('unknown');
  });

  test('counts a process that exits between being listed and being read', async () => {
    const root = makeRoot([init]);
    mkdirSync(join(root, '77'));
    mkdirSync(join(root, '78'));
    writeFileSync(join(root, '78', 'stat'), '78 (half');
    const snapshot = await collect(root, options());
    expect(snapshot.processes.map(({ pid }) => pid)).toEqual([1]);
    expect(snapshot.visibility).toMatchObject({ vanished: 4, complete: true });
  });

  test('reports hidden processes, and does not treat a hidden parent as exited', async () => {
    const mounts = 'proc /proc proc rw,hidepid=2 0 0\n';
    const snapshot = await collect(makeRoot([{ ...orphan, ppid: 49 }], { mounts }), options());
    expect(snapshot.visibility).toMatchObject({ complete: false, hidepid: '2' });
    expect(find(snapshot, 50)?.deep).toBeNull();
  });

  test.runIf(OWN_UID !== 0)('reports a suspect that is not readable', async () => {
    const root = makeRoot([init, orphan]);
    chmodSync(join(root, '50/fd'), 0o000);
    const snapshot = await collect(root, options());
    chmodSync(join(root, '50/fd'), 0o700);
    expect(find(snapshot, 50)?.deep?.descriptorsReadable).toBe(false);
    expect(snapshot.visibility).toMatchObject({ complete: false, unreadableProcesses: 1 });
  });

  test('is empty for an empty proc root', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deed-proc-'));
    folders.push(folder);
    expect((await collect(folder, options())).processes).toEqual([]);
  });
});

function options(): CollectOptions {
  return {
    host: 'box',
    observer: { pid: process.pid, uid: OWN_UID },
    sleep: (milliseconds) => sleep(milliseconds),
    now: Date.now,
    windowMs: 20,
    names: DEFAULT_PARAMETERS.names,
  };
}

function makeRoot(entries: readonly ProcEntry[], machine?: MachineFiles): string {
  const folder = mkdtempSync(join(tmpdir(), 'deed-proc-'));
  folders.push(folder);
  writeProcRoot(folder, entries, machine);
  return folder;
}

function find(snapshot: ProcessSnapshot, pid: number | undefined): ProcessFacts | undefined {
  return snapshot.processes.find((process) => process.pid === pid);
}
