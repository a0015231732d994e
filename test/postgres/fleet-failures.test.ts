import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFleetBench, type FleetBench, type FleetHost } from '../fixtures/fleet-bench.ts';
import { landedFiles } from '../fixtures/item-history.ts';
import { until } from '../fixtures/real-processes.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { item } from '../fixtures/work-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Most of its time is waiting for leases to expire. */
describe.runIf(LONG && findPostgres() !== undefined)('a fleet whose hosts fail', () => {
  let bench: FleetBench;
  let caller: FleetHost;
  beforeAll(() => {
    bench = createFleetBench();
    caller = bench.host('caller');
  });
  afterAll(() => bench.dispose());
  it('lands each item once, if one worker is killed and another is stopped until its lease has expired, and then continued', async () => {
    const first = (id: string, script: string): string =>
      `if mkdir ${bench.gate}/${id} 2>/dev/null; then ${script}; fi; echo ${id} > ${id}.txt`;
    const plan = [
      item('killed', first('killed', 'sleep 120'), { requires: ['one'] }),
      item('stopped', first('stopped', 'sleep 3'), { requires: ['two'] }),
    ];
    const one = bench.host('one').start('worker', 'start', '--labels', 'one');
    const two = bench.host('two').start('worker', 'start', '--labels', 'two');
    const running = caller.writeAsync('work', 'run', caller.plan(plan), '--on', 'default');
    await until(
      () => existsSync(join(bench.gate, 'killed')) && existsSync(join(bench.gate, 'stopped')),
      'both agents have started',
    );
    one.child.kill('SIGKILL');
    two.child.kill('SIGSTOP');
    const three = bench.host('three').start('worker', 'start', '--jobs', '2', '--labels', 'one,two');
    bench.host('integrator').start('integrator', 'start');
    const run = await running;
    expect(run.envelope.ok, `${run.stdout}\n${three.output()}`).toBe(true);
    two.child.kill('SIGCONT');
    two.child.kill('SIGTERM');
    expect((await two.ended).code).toBe(130);
    expect(landedFiles(bench).sort()).toEqual(['a.txt', 'killed.txt', 'stopped.txt']);
  });

  it('delivers a result once the remote is reachable again', async () => {
    const away = `${bench.remote}.away`;
    const plan = item(
      'late',
      `touch ${bench.gate}/late; until [ -e ${bench.gate}/late-go ]; do sleep 0.1; done; echo l > late.txt`,
    );
    const host = bench.host('late');
    const worker = host.start('worker', 'start', '--queue', 'away');
    bench.host('lands').start('integrator', 'start', '--queue', 'away');
    const running = caller.writeAsync('work', 'run', caller.plan(plan), '--on', 'away');
    await until(() => existsSync(join(bench.gate, 'late')), 'the agent has started');
    renameSync(bench.remote, away);
    writeFileSync(join(bench.gate, 'late-go'), '');
    await until(() => worker.output().includes('cannot be used'), 'the worker has tried to deliver');
    renameSync(away, bench.remote);
    expect((await running).envelope.ok).toBe(true);
    expect(bench.git('log', '--format=%s', '--', 'late.txt').trim().split('\n')).toHaveLength(1);
    expect(worker.output()).not.toContain('attempt 2');
  });

  it.skipIf(process.getuid?.() !== 0)(
    'does not use up the attempts of items on a worker with a full disk; another one runs them',
    async () => {
      const { start, home } = bench.host('full');
      // Each new host writes its key into the keyrings of the others.
      const others = { healthy: bench.host('healthy'), lands: bench.host('disk-lands') };
      const kept = `${home}.kept`;
      cpSync(home, kept, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=700', 'tmpfs', home]);
      try {
        cpSync(kept, home, { recursive: true });
        const full = start('worker', 'start', '--queue', 'disk');
        await until(() => full.output().includes('signs with'), 'the worker serves');
        execFileSync('sh', ['-c', `dd if=/dev/zero of=${home}/filler bs=4k 2>/dev/null || true`]);
        const plan = caller.plan(item('disk', 'echo d > disk.txt'));
        const running = caller.writeAsync('work', 'run', plan, '--on', 'disk');
        await until(() => full.output().includes('ENOSPC'), 'the worker has failed');
        // As long as it took before to fail five times.
        await sleep(12_000);
        expect(full.output().match(/attempt \d on/gu)?.length).toBeLessThanOrEqual(2);
        others.healthy.start('worker', 'start', '--queue', 'disk');
        others.lands.start('integrator', 'start', '--queue', 'disk');
        const run = await running;
        expect(run.envelope.ok, `${run.stdout}\n${full.output()}`).toBe(true);
        full.child.kill('SIGKILL');
        await full.ended;
      } finally {
        execFileSync('umount', ['-l', home]);
      }
    },
  );
});
