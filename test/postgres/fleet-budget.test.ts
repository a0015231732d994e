import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFleetBench, eventually, type FleetBench, type FleetHost } from '../fixtures/fleet-bench.ts';
import { until } from '../fixtures/real-processes.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { item } from '../fixtures/work-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

/** The item's agent reports a cost of $0.01. */
const costly = (id: string): Record<string, unknown> => {
  const result = { type: 'result', session_id: id, num_turns: 1, total_cost_usd: 0.01, usage: {} };
  return item(id, `echo '${JSON.stringify(result)}'; echo ${id} > ${id}.txt`);
};

describe.skipIf(findPostgres() === undefined)('the limit of what a queue costs', () => {
  let bench: FleetBench;
  let caller: FleetHost;
  const agents = { 'work.agents': { 'agent-1': { kind: 'claude', argv: ['/bin/sh', '-s'] } } };
  beforeAll(() => {
    bench = createFleetBench();
    caller = bench.host('caller', agents);
    bench.host('integrator', agents).start('integrator', 'start');
  });
  afterAll(() => bench.dispose());

  it.runIf(LONG)(
    'lets items wait when it is reached, on every host, tells why, and takes them when it is higher',
    async () => {
      const start = (name: string, limit: string) =>
        bench.host(name, agents).start('worker', 'start', '--max-cost-usd', limit);
      const first = start('first', '0.02');
      const submit = (id: string, ...flags: string[]) =>
        caller.write('work', 'run', caller.plan(costly(id)), '--on', 'default', ...flags).envelope;
      const one = submit('one');
      expect(one.ok, `${JSON.stringify(one)}\n${first.output()}`).toBe(true);
      expect(submit('two').ok).toBe(true);
      // Another host starts after the limit is reached.
      const second = start('second', '0.02');
      const { job_id: jobId } = submit('three', '--detach').data as { job_id: string };
      await until(
        () => `${first.output()}${second.output()}`.split('cost $0.02 today').length === 3,
        'both pause',
      );
      await eventually(() => statusOf(jobId).held !== undefined, 'the status tells why');
      expect(statusOf(jobId)).toMatchObject({
        items: [{ status: 'pending' }],
        held: expect.stringContaining('$0.02 today') as string,
      });
      const { items } = caller.read('worker', 'list').envelope.data as {
        items: { role: string; status: string; paused: string | null }[];
      };
      expect(items.filter(({ role }) => role === 'worker').map(({ status }) => status)).toEqual([
        'paused',
        'paused',
      ]);
      const paused = items.find(({ role }) => role === 'worker');
      expect(paused?.paused).toContain('Items wait; workers take them again at 00:00 UTC');
      start('third', '1');
      await until(
        () => statusOf(jobId).status === 'succeeded',
        'a worker with a higher limit takes the item',
      );
      expect(statusOf(jobId).held).toBeUndefined();
    },
  );

  const statusOf = (jobId: string): { status: string; held?: string } =>
    caller.read('work', 'status', jobId).envelope.data as { status: string; held?: string };
});
