import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFleetBench, eventually, type FleetBench, type FleetHost } from '../fixtures/fleet-bench.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { until } from '../fixtures/real-processes.ts';
import { placeRepository } from '../fixtures/repository-template.ts';
import { deed } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { item } from '../fixtures/work-bench.ts';

/** Decisions about a job in a queue, made in a home that has never seen it. */
describe.runIf(LONG && findPostgres() !== undefined)('another home than the one that submitted a job', () => {
  let bench: FleetBench;
  let caller: FleetHost;
  const PROGRAM = { 'work.allow_program_approval': true };
  beforeAll(() => {
    bench = createFleetBench();
    caller = bench.host('caller');
    bench.host('worker').start('worker', 'start', '--queue', 'any', '--jobs', '2');
    bench.host('integrator').start('integrator', 'start', '--queue', 'any');
  });
  afterAll(() => bench.dispose());
  const submit = (plan: unknown): string =>
    caller.write('work', 'run', caller.plan(plan), '--on', 'any', '--detach').envelope.data.job_id as string;
  const statusIn = (host: FleetHost, job: string) =>
    host.read('work', 'status', job).envelope.data as {
      status: string;
      waiting: string[];
      items: { refused?: string; status: string }[];
    };
  const waits = async (job: string): Promise<string> => {
    await eventually(() => statusIn(caller, job).waiting.length > 0, 'the item waits for a person');
    return statusIn(caller, job).waiting[0] ?? '';
  };

  it('approves and rejects', async () => {
    const job = submit(item('ask', 'echo asked > asked.txt', { approval: true }));
    const runId = await waits(job);
    // Outside a clone, and in a clone of something else, there is nothing that could be approved.
    const lost = bench.host('lost', PROGRAM);
    placeRepository(join(bench.folder, 'unrelated'), { 'x.txt': 'x\n' });
    const options = { home: lost.home, cwd: join(bench.folder, 'unrelated'), env: { VYBE_DB_PATH: '' } };
    expect(deed(['work', 'approve', runId, '--dry-run'], options).envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { hint: 'Run this in a clone of that repository.' },
    });
    // A key that the integrator does not know.
    const unknown = bench.untrusted('unknown', PROGRAM);
    expect(unknown.write('work', 'approve', runId).envelope.ok).toBe(true);
    await eventually(() => statusIn(caller, job).items[0]?.refused !== undefined, 'the approval is refused');
    expect(statusIn(caller, job)).toMatchObject({ waiting: [runId] });
    expect(caller.read('work', 'result', job).envelope.error).toMatchObject({
      code: 'E_HUMAN_REQUIRED',
      message: expect.stringMatching(/signed with the key [0-9a-f]{64}.*--role approver/u) as string,
    });
    expect(bench.host('person', PROGRAM).write('work', 'approve', runId).envelope.ok).toBe(true);
    await eventually(() => statusIn(caller, job).status === 'succeeded', 'the approved item has landed');
    expect(bench.git('show', 'main:asked.txt')).toBe('asked\n');
    const denied = submit(item('no', 'echo no > no.txt', { approval: true }));
    const rejected = bench.host('critic', PROGRAM).write('work', 'reject', await waits(denied));
    expect(rejected.envelope.data.denial_reason).toContain('Rejected');
    expect(statusIn(caller, denied).status).toBe('failed');
    expect(caller.read('work', 'run', '--resume', denied, '--dry-run').envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      message: `All items of job ${denied} have ended, and a queue runs no item again.`,
    });
  });

  it('cancels, and queues it again; the home that submitted it sees both', async () => {
    const slow = `touch ${bench.gate}/slow; until [ -e ${bench.gate}/done ]; do sleep 0.1; done; echo late > late.txt`;
    const job = submit(item('slow', slow));
    await until(() => existsSync(join(bench.gate, 'slow')), 'the agent has started');
    const other = bench.host('other');
    const options = { home: other.home, cwd: join(bench.folder, 'unrelated'), env: { VYBE_DB_PATH: '' } };
    const { confirm_token: token } = deed(['work', 'cancel', job, '--dry-run'], options).envelope.data;
    expect(deed(['work', 'cancel', job, '--confirm', token as string], options).envelope.error?.code).toBe(
      'E_CONFLICT',
    );
    expect(statusIn(caller, job).status).toBe('running');
    expect(other.write('work', 'cancel', job).envelope.data.status).toBe('cancelled');
    expect(statusIn(caller, job).status).toBe('cancelled');
    writeFileSync(join(bench.gate, 'done'), '');
    const third = bench.host('third');
    expect(third.write('work', 'run', '--resume', job, '--detach').envelope.ok).toBe(true);
    await eventually(() => statusIn(caller, job).status === 'succeeded', 'it has landed');
    expect(bench.git('show', 'main:late.txt')).toBe('late\n');
    expect(statusIn(other, job).status).toBe('succeeded');
  });
});
