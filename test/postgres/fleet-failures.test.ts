import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFleetBench, type FleetBench, type FleetHost } from '../fixtures/fleet-bench.ts';
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
  /** The commits on the branch, oldest first, by the file that each creates. */
  const landed = (): string[] =>
    bench
      .git('log', '--reverse', '--format=', '--name-only', '--diff-filter=A', 'main')
      .trim()
      .split('\n')
      .filter(Boolean);

  it('lands each item once, if one worker is killed and another is stopped past its lease and woken', async () => {
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
    expect(landed().sort()).toEqual(['a.txt', 'killed.txt', 'stopped.txt']);
  });

  it('delivers a result once the remote is there again', async () => {
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

  it('lands each of many items once, in order, while workers are killed and stopped', async () => {
    const [items, kills, stops] = [200, 40, 12];
    const plan = Array.from({ length: items }, (_, index) =>
      item(`i${index}`, `sleep 0.2; echo ${index} > i${index}.txt`, {
        dependencies: index < 4 ? [] : [`i${index - 4}`],
        constraints: { max_files: 10, max_tool_ops: 50, max_delta_size: 100, timeout_ms: 60_000 },
      }),
    );
    const hosts = Array.from({ length: 4 }, (_, index) => bench.host(`w${index}`));
    const serving = hosts.map((host) => host.start('worker', 'start', '--queue', 'long'));
    let integrator = bench.host('i0').start('integrator', 'start', '--queue', 'long');
    const ended = new AbortController();
    const running = caller
      .writeAsync('work', 'run', caller.plan(plan), '--on', 'long')
      .finally(() => ended.abort());
    const disturb = async (): Promise<void> => {
      for (let round = 0; round < kills && !ended.signal.aborted; round += 1) {
        await pause(4000);
        const index = round % 4;
        const victim = serving[index];
        const host = hosts[index];
        if (victim === undefined || host === undefined) continue;
        if (round % 4 === 3 && round / 4 < stops) {
          victim.child.kill('SIGSTOP');
          await pause(14_000);
          victim.child.kill('SIGCONT');
        } else {
          victim.child.kill('SIGKILL');
          serving[index] = host.start('worker', 'start', '--queue', 'long');
        }
        if (round % 10 === 9) {
          integrator.child.kill('SIGKILL');
          integrator = bench.host(`i${round}`).start('integrator', 'start', '--queue', 'long');
        }
      }
    };
    const [run] = await Promise.all([running, disturb()]);
    expect(run.envelope.ok, run.stdout.slice(0, 4000)).toBe(true);
    const names = landed().filter((name) => name.startsWith('i'));
    expect(names.length).toBe(items);
    expect(new Set(names).size).toBe(items);
    for (let index = 4; index < items; index += 1)
      expect(names.indexOf(`i${index}.txt`)).toBeGreaterThan(names.indexOf(`i${index - 4}.txt`));
  }, 3_600_000);
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
