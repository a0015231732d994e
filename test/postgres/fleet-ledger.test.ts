import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFleetBench, eventually, type FleetBench, type FleetHost } from '../fixtures/fleet-bench.ts';
import { until } from '../fixtures/real-processes.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { item } from '../fixtures/work-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Landings wait for the lease of a killed integrator. */
describe.runIf(LONG && findPostgres() !== undefined)('what a fleet lands', () => {
  let bench: FleetBench;
  let caller: FleetHost;
  beforeAll(() => {
    bench = createFleetBench();
    caller = bench.host('caller');
  });
  afterAll(() => bench.dispose());
  const landed = (): string[] => bench.git('ls-tree', '--name-only', 'main').trim().split('\n');
  const submit = (id: string, queue: string) =>
    caller.write('work', 'run', caller.plan(item(id, `echo ${id} > ${id}.txt`)), '--on', queue).envelope;
  const verify = () => {
    const { envelope } = bench.untrusted(`auditor-${Date.now()}`).read('receipt', 'verify', '--ledger');
    expect(envelope.error, JSON.stringify(envelope.error)).toBeUndefined();
    return envelope.data as { checked: number; ledger: { branches: { promoted: number; others: number }[] } };
  };
  /** The hooks of a remote run between the push of an integrator and its answer. */
  const hook = (name: string, script: string): void =>
    writeFileSync(
      join(bench.remote, 'hooks', name),
      `#!/bin/sh\nif grep -q refs/deed/ledger; then ${script}; fi\n`,
      { mode: 0o755 },
    );

  it('was signed by a trusted worker; others and forged results are denied', async () => {
    const worker = bench.untrusted('signs');
    const serving = worker.start('worker', 'start', '--queue', 'signed');
    const integrator = bench.host('checks');
    integrator.start('integrator', 'start', '--queue', 'signed');
    expect(submit('unknown', 'signed').error).toMatchObject({
      code: 'E_DENIED',
      message: expect.stringContaining('no trusted key signed its receipt') as string,
    });
    const key = join(bench.gate, 'signs.pub.pem');
    writeFileSync(key, worker.read('receipt', 'export', '--as', 'key').envelope.data.text as string);
    expect(integrator.write('receipt', 'trust', key, '--name', 'signs').envelope.ok).toBe(true);
    expect(submit('known', 'signed').ok).toBe(true);
    expect(landed()).toContain('known.txt');
    expect(landed()).not.toContain('unknown.txt');
    // A worker can write to the refs of items; it cannot say that one has landed.
    serving.child.kill('SIGTERM');
    await serving.ended;
    const plan = caller.plan(item('forged', 'echo forged > forged.txt'));
    const job = caller.write('work', 'run', plan, '--on', 'signed', '--detach').envelope.data
      .job_id as string;
    const record = {
      version: 1,
      job_id: job,
      item_id: 'forged',
      step: 'promoted',
      fence: { round: 0, retry: 0 },
      attempt: 1,
      by: 'forger',
      at: new Date().toISOString(),
    };
    worker.git('checkout', '-q', '--orphan', 'forged');
    worker.git('rm', '-q', '-rf', '.');
    writeFileSync(join(worker.clone, 'state.json'), JSON.stringify(record));
    worker.git('add', 'state.json');
    worker.git('commit', '-qm', 'forged');
    worker.git('push', '-q', 'origin', `HEAD:refs/deed/items/${job}/forged`);
    // The worker finds nothing to do, and the entry for its landing is taken.
    worker.start('worker', 'start', '--queue', 'signed');
    await eventually(
      () => caller.read('work', 'status', job).envelope.data.status === 'failed',
      'the forged item is denied',
    );
    const result = caller.read('work', 'result', job).envelope;
    expect(JSON.stringify(result)).toContain(
      'it was marked as promoted, but it names no entry of the ledger',
    );
    // The auditor does not know the key of the worker that only the integrator trusts.
    const { error } = bench.untrusted('misses').read('receipt', 'verify', '--ledger').envelope;
    expect(error?.message).toContain('which is not trusted');
    bench.git('update-ref', '-d', 'refs/deed/ledger');
  });

  it('lands once, with one entry, if the integrator is killed before or after its push', async () => {
    rmSync(join(caller.home, 'ledgers'), { recursive: true, force: true });
    bench.host('works').start('worker', 'start', '--queue', 'killed');
    for (const [id, name] of [
      ['before', 'pre-receive'],
      ['after', 'post-receive'],
    ] as const) {
      const [reached, gone] = [join(bench.gate, `${id}-reached`), join(bench.gate, `${id}-gone`)];
      hook(name, `touch ${reached}; while [ ! -e ${gone} ]; do sleep 0.1; done; exit 1`);
      const first = bench.host(`first-${id}`).start('integrator', 'start', '--queue', 'killed');
      const plan = caller.plan(item(id, `echo ${id} > ${id}.txt`));
      const running = caller.writeAsync('work', 'run', plan, '--on', 'killed');
      await until(() => existsSync(reached), 'the push of the integrator has reached the remote');
      first.child.kill('SIGKILL');
      await first.ended;
      writeFileSync(gone, '');
      rmSync(join(bench.remote, 'hooks', name));
      const second = bench.host(`second-${id}`).start('integrator', 'start', '--queue', 'killed');
      const run = await running;
      expect(run.envelope.ok, `${run.stdout}\n${second.output()}`).toBe(true);
      second.child.kill('SIGTERM');
      await second.ended;
    }
    expect(bench.git('log', '--format=%s', '--', 'before.txt', 'after.txt').trim().split('\n')).toHaveLength(
      2,
    );
    expect(verify()).toMatchObject({ checked: 2, ledger: { branches: [{ promoted: 2, others: 0 }] } });
  });

  it('has an entry for each item, if several integrators land at the same time', async () => {
    for (const name of ['a', 'b', 'c'])
      bench.host(`lands-${name}`).start('integrator', 'start', '--queue', 'many');
    bench.host('many').start('worker', 'start', '--queue', 'many', '--jobs', '3');
    const before = verify().checked;
    const plan = Array.from({ length: 9 }, (_, index) => item(`m${index}`, `echo ${index} > m${index}.txt`));
    const run = await caller.writeAsync('work', 'run', caller.plan(plan), '--on', 'many');
    expect(run.envelope.ok, run.stdout).toBe(true);
    expect(landed().filter((name) => /^m\d/u.test(name))).toHaveLength(9);
    expect(verify()).toMatchObject({ checked: before + 9, ledger: { branches: [{ others: 0 }] } });
  });
});
