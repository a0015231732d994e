import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFleetBench, eventually, type FleetBench, type FleetHost } from '../fixtures/fleet-bench.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { until } from '../fixtures/real-processes.ts';
import { LONG } from '../fixtures/start-node.ts';
import { item } from '../fixtures/work-bench.ts';

// A process that no longer announces itself counts for twenty seconds.
vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(findPostgres() === undefined)('a job in a queue that cannot continue', () => {
  let bench: FleetBench;
  let caller: FleetHost;
  beforeEach(() => {
    bench = createFleetBench();
    caller = bench.host('caller');
  });
  afterEach(() => bench.dispose());

  interface Status {
    readonly status: string;
    readonly held?: string;
    readonly items: readonly { readonly last_line?: string }[];
  }
  const statusOf = (jobId: string): Status => caller.read('work', 'status', jobId).envelope.data as Status;
  const submit = (...items: Record<string, unknown>[]): string => {
    const run = caller.write('work', 'run', caller.plan(items), '--on', 'default', '--detach');
    return (run.envelope.data as { job_id: string }).job_id;
  };
  /** Makes the remote reject pushes to these refs. Returns what allows them again. */
  const denyPushes = (ref: string): (() => void) => {
    const hook = join(bench.remote, 'hooks/update');
    writeFileSync(hook, `#!/bin/sh\ncase "$1" in ${ref}) echo "Pushes are frozen." >&2; exit 1;; esac\n`);
    chmodSync(hook, 0o755);
    return () => rmSync(hook);
  };

  it('says what is missing: a worker, its labels, an integrator', async () => {
    const plan = caller.plan(item('gpu', 'echo x > x.txt', { requires: ['gpu'] }));
    const call = ['work', 'run', plan, '--on', 'default'];
    caller.git('commit', '-q', '--allow-empty', '-m', 'only here');
    const preview = caller.read(...call, '--dry-run');
    expect(preview.stderr).toContain('Commits of "main" that are not pushed are not part of the work: 1.');
    const { confirm_token: token } = preview.envelope.data as Record<string, string>;
    const waiting = caller.start(...call, '--confirm', token ?? '');
    await eventually(() => caller.read('work', 'fleet').envelope.data.count === 1, 'the job is in the queue');
    const [job] = caller.read('work', 'fleet').envelope.data.jobs;
    const held = (): string => statusOf(job.job_id).held ?? '';
    expect(held()).toContain(
      'No worker serves the queue "default" of this repository. Start one in a clone: deed worker start',
    );
    await until(
      () => waiting.output().includes('No worker serves the queue'),
      'the caller that waits sees it',
    );
    bench.host('plain').start('worker', 'start');
    await eventually(() => held().includes('requires'), 'the label is named');
    expect(held()).toContain(
      'what item "gpu" requires: gpu. Start one on a host that has it: deed worker start --labels gpu',
    );
    bench.host('able').start('worker', 'start', '--labels', 'gpu');
    await eventually(() => held().includes('integrator'), 'the integrator is named');
    expect(held()).toContain('No integrator serves the queue "default"');
    bench.host('lands').start('integrator', 'start');
    const run = await waiting.ended;
    expect(run.envelope.ok, run.stdout).toBe(true);
    expect(statusOf(job.job_id).held).toBeUndefined();
  });

  it.runIf(LONG)('says that the remote rejects pushes, and continues when it accepts them', async () => {
    const allow = denyPushes('refs/deed/items/*');
    bench.host('works').start('worker', 'start');
    bench.host('lands').start('integrator', 'start');
    const jobId = submit(item('x', 'echo x > x.txt'));
    const lastLine = (): string => statusOf(jobId).items[0]?.last_line ?? '';
    await eventually(() => lastLine().includes('not delivered'), 'the result cannot be delivered');
    expect(lastLine()).toContain('Pushes are frozen.');
    allow();
    await eventually(() => statusOf(jobId).status === 'succeeded', 'the item lands');

    const allowBranch = denyPushes('refs/heads/*');
    const second = submit(item('y', 'echo y > y.txt'));
    await eventually(() => statusOf(second).held !== undefined, 'the status says why');
    expect(statusOf(second).held).toMatch(/^No result lands: .*Pushes are frozen\./su);
    allowBranch();
    await eventually(() => statusOf(second).status === 'succeeded', 'the item lands');
    expect(statusOf(second).held).toBeUndefined();
  });
});
