import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerProblems } from '../fixtures/check-envelope.ts';
import {
  createFleetBench,
  eventually,
  type FleetBench,
  type FleetHost,
  type Serving,
} from '../fixtures/fleet-bench.ts';
import { until } from '../fixtures/real-processes.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { item } from '../fixtures/work-bench.ts';
import type { Run } from '../fixtures/run-deed.ts';

const SECRET = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

describe.skipIf(findPostgres() === undefined)('the view of a fleet', () => {
  let bench: FleetBench;
  let caller: FleetHost;
  let other: FleetHost;
  let worker: Serving;
  let jobId = '';
  beforeAll(() => {
    bench = createFleetBench({ 'a.txt': 'one\n' });
    caller = bench.host('caller');
    other = bench.host('other');
    worker = bench.host('worker').start('worker', 'start', '--queue', 'view', '--jobs', '2');
    bench.host('integrator').start('integrator', 'start', '--queue', 'view');
    const plan = [
      item(
        'slow',
        `echo "key ${SECRET}"; touch ${bench.gate}/slow; until [ -e ${bench.gate}/go ]; do sleep 0.1; done; echo two > a.txt; echo wrote a`,
      ),
      item('breaks', 'echo it breaks; exit 3'),
    ];
    const run = caller.write('work', 'run', caller.plan(plan), '--on', 'view', '--detach');
    expect(run.envelope.ok, run.stdout).toBe(true);
    jobId = run.envelope.data.job_id;
  });
  afterAll(() => bench.dispose());
  const data = (run: Run): never => run.envelope.data as never;
  const stateOf = (name: string): { status: string; run_id: string; last_line: string | null } =>
    (data(other.read('work', 'status', jobId, '--detail')) as { items: { item_id: string }[] }).items.find(
      ({ item_id }) => item_id === name,
    ) as never;

  it('shows any home what runs on which host, since when, and its last line', async () => {
    await until(() => existsSync(join(bench.gate, 'slow')), 'the agent has started');
    await eventually(() => stateOf('slow').last_line?.includes('key') === true, 'its last line is known');
    expect(stateOf('slow')).toMatchObject({
      status: 'running',
      attempt: 1,
      host: expect.any(String) as string,
      worker_id: expect.any(String) as string,
      since: expect.stringMatching(/^\d{4}-/u) as string,
    });
    await eventually(() => stateOf('breaks').status === 'failure', 'the other item has ended');
    let listed: { items: { runs: object[] }[] } = { items: [] };
    const runs = (): object[] => listed.items.flatMap((each) => each.runs);
    // A worker tells every two seconds what it runs.
    await eventually(() => {
      listed = data(other.read('worker', 'list'));
      return runs().length === 1;
    }, 'the worker runs one item');
    expect(runs()).toMatchObject([{ job_id: jobId, item_id: 'slow', attempt: 1 }]);
    const fleet = data(other.read('work', 'fleet', '--limit', '3')) as { jobs: object[] };
    expect(fleet.jobs).toMatchObject([
      {
        job_id: jobId,
        status: 'running',
        queue: 'view',
        branch: 'main',
        items: 2,
        steps: { claimed: 1, ended: 1 },
        running: [{ item_id: 'slow', attempt: 1 }],
        failed: [{ item_id: 'breaks', run_id: stateOf('breaks').run_id, code: 'E_AGENT_FAILED' }],
      },
    ]);
    const live = other.read('work', 'log', jobId).stdout;
    expect(live).toContain('it breaks');
    expect(live).toContain('attempt 1 runs on');
    for (const run of [live, JSON.stringify(listed), JSON.stringify(fleet)])
      expect(run).not.toContain(SECRET);
    for (const [command, answer] of Object.entries({ 'worker list': listed, 'work fleet': fleet }))
      expect(answerProblems(caller.read, command, answer), command).toEqual([]);
  });

  it('answers log, diff, show and result of a run on another host, or names that host', async () => {
    writeFileSync(join(bench.gate, 'go'), '');
    await eventually(() => stateOf('slow').status === 'success', `the item has landed: ${worker.output()}`);
    const { run_id: runId } = stateOf('slow');
    const { run_id: failed } = stateOf('breaks');
    expect(other.read('work', 'log', runId, '--tail', '5').stdout).toContain('wrote a');
    expect(other.read('work', 'log', runId, '--follow', '--raw').stdout).not.toContain(SECRET);
    expect(data(other.read('work', 'diff', runId))).toMatchObject({
      status: 'success',
      files: [{ path: 'a.txt', action: 'modify', added: 1, deleted: 1 }],
      diff: expect.stringContaining('-one\n+two\n') as string,
    });
    expect(data(other.read('work', 'show', runId))).toMatchObject({
      item_id: 'slow',
      job_id: jobId,
      status: 'success',
      changes: [{ path: 'a.txt', action: 'modify' }],
    });
    expect(other.read('work', 'diff', failed).envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      message: expect.stringContaining('ran on') as string,
    });
    expect(other.read('work', 'result', jobId).envelope.error).toMatchObject({
      code: 'E_AGENT_FAILED',
      details: { results: [{ item_id: 'slow', status: 'success' }, { item_id: 'breaks' }] },
    });
    // Outside a clone the store answers, but for the diff.
    const away = bench.elsewhere(other);
    expect(data(away.read('work', 'status', jobId))).toMatchObject({ status: 'failed' });
    const third = bench.elsewhere(bench.host('third'));
    expect(data(third.read('work', 'status', jobId))).toMatchObject({ job_id: jobId, status: 'failed' });
    expect(third.read('work', 'log', runId).stdout).toContain('wrote a');
    expect(third.read('work', 'diff', runId).envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { hint: expect.stringContaining('clone') as string },
    });
    expect(data(third.read('work', 'fleet'))).toMatchObject({ jobs: [] });
    expect(data(third.read('work', 'fleet', '--all'))).toMatchObject({
      jobs: [{ job_id: jobId, status: 'ended' }],
    });
  });

  it('shows what is left running on each host, by its own report', async () => {
    await eventually(
      () => (data(other.read('triage', 'fleet')) as { count: number }).count === 1,
      'the worker has reported',
    );
    const fleet = data(other.read('triage', 'fleet')) as object;
    expect(fleet).toMatchObject({
      session_id: null,
      hosts: [
        {
          problem: null,
          scanned: expect.any(Number) as number,
          left_running: expect.any(Number) as number,
          age_seconds: expect.any(Number) as number,
        },
      ],
    });
    expect(answerProblems(caller.read, 'triage fleet', fleet)).toEqual([]);
  });
});
