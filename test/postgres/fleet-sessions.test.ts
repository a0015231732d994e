import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFleetBench, type FleetBench, type FleetHost } from '../fixtures/fleet-bench.ts';
import { startLlmServer, type LlmServer } from '../fixtures/llm-server.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { until } from '../fixtures/real-processes.ts';
import type { Run } from '../fixtures/run-deed.ts';
import { scriptModel, type ModelStep } from '../fixtures/script-model.ts';
import { LONG } from '../fixtures/start-node.ts';
import { item } from '../fixtures/work-bench.ts';

// A dead worker is noticed after ten seconds.
vi.setConfig({ testTimeout: 180_000 });

const AGENT = [
  '---',
  'models: p/gpt-4o',
  'toolingTransport: native',
  'maxRetries: 1',
  '---',
  'You fix things.',
  '',
];

const run = (command: string): readonly [string, object] => ['run', { command }];
const EDIT: ModelStep = { calls: [['edit', { path: 'a.txt', old_text: 'one', new_text: 'two' }]] };
/** Makes a file that is too large to be stored with the records of a session. */
const BIG = "head -c 100000 /dev/zero | tr '\\0' x > big.txt";
const DONE: ModelStep = { report: 'Done.' };

describe.skipIf(findPostgres() === undefined)('a session whose worker is killed', () => {
  let bench: FleetBench;
  let server: LlmServer;
  let caller: FleetHost;
  beforeEach(async () => {
    server = await startLlmServer();
    bench = createFleetBench({
      'a.txt': 'one\n',
      'agents/fix.ai': AGENT.join('\n'),
      '.gitignore': '*.log\n',
    });
    caller = bench.host('caller');
    host('integrator').start('integrator', 'start');
  });
  afterEach(async () => {
    await bench.dispose();
    await server.close();
  });

  function host(name: string): FleetHost {
    const created = bench.host(name);
    mkdirSync(join(created.home, '.ai-agent'));
    const provider = {
      type: 'openai-compatible',
      mode: 'chat',
      apiKey: 'sk-test-0123456789abcdefghij',
      baseUrl: `${server.url}/v1`,
    };
    writeFileSync(
      join(created.home, '.ai-agent/ai-agent.json'),
      JSON.stringify({ providers: { p: provider } }),
    );
    return created;
  }

  /** Runs a scripted session, kills its first worker once `isDue`, and lets another one finish. */
  async function play(
    steps: readonly ModelStep[],
    isDue: () => boolean,
    whileDead: (jobId: string) => void = () => undefined,
  ): Promise<{ readonly ended: Run; readonly output: string; readonly jobId: string }> {
    scriptModel(server, steps);
    const plan = caller.plan(item('x', 'Make one into two.', { agent_id: 'agents/fix.ai' }));
    const running = caller.writeAsync('work', 'run', plan, '--on', 'default');
    const first = host('first').start('worker', 'start');
    await until(isDue, `the first worker is in the middle: ${first.output()}`);
    first.child.kill('SIGKILL');
    await first.ended;
    const jobId = /job_[0-9a-z]+/u.exec(bench.git('for-each-ref', 'refs/deed/sessions'))?.[0] ?? '';
    whileDead(jobId);
    server.hangAfter(Number.POSITIVE_INFINITY);
    const second = host('second').start('worker', 'start');
    const ended = await running;
    // The session is removed after the result is delivered.
    second.child.kill('SIGTERM');
    await second.ended;
    return { ended, output: second.output(), jobId };
  }
  const messagesOf = (request: number): { role: string; content: string }[] =>
    server.requests[request]?.body.messages as never;
  const sessionCommits = (): string[] => {
    const [ref = ''] = globSync('refs/deed/sessions/*/x/1', { cwd: bench.remote });
    return ref === '' ? [] : [readFileSync(join(bench.remote, ref), 'utf8')];
  };
  const show = (path: string): string => bench.git('show', `main:${path}`);

  it.runIf(LONG)(
    'continues on another worker after its last completed tool call, with its files',
    async () => {
      const steps: ModelStep[] = [
        EDIT,
        { calls: [run(`echo x >> count.txt; echo z > z.log; ${BIG}`), run('sleep 5; echo y >> count.txt')] },
        { calls: [run('cat a.txt count.txt; wc -c < big.txt')] },
        DONE,
      ];
      // In the middle of the second call of a response: the large file of the first one is in the remote.
      let seenAt = 0;
      const isDue = (): boolean => {
        if (sessionCommits().length > 0) seenAt ||= Date.now();
        return seenAt > 0 && Date.now() - seenAt > 1500;
      };
      const { ended, output, jobId } = await play(steps, isDue);
      expect(ended.envelope.ok, `${ended.stdout}\n${output}`).toBe(true);
      expect([show('a.txt'), show('count.txt')]).toEqual(['two\n', 'x\ny\n']);
      // Two requests before the kill, two after it: no response was asked for again.
      expect(server.requests, output).toHaveLength(4);
      const last = messagesOf(3);
      expect(last.filter(({ role }) => role === 'assistant')).toHaveLength(3);
      expect(last.findLast(({ role }) => role === 'tool')?.content).toContain('two\nx\ny\n100000');
      expect(JSON.stringify(last)).toContain('you continue on another one');
      expect(output).toContain('continues the session of attempt 1');
      expect(ended.envelope.data.results[0].metrics.tool_ops_count).toBe(4);
      // Nothing of the session stays.
      expect(bench.git('for-each-ref', 'refs/deed/sessions')).toBe('');
      expect(caller.read('work', 'log', jobId).stdout).toContain('continues the session of attempt 1');
    },
  );

  it.runIf(LONG)('continues when it waited for its model', async () => {
    server.hangAfter(2);
    const { ended, output } = await play(
      [EDIT, { calls: [run('echo x >> count.txt')] }, { calls: [run('cat count.txt')] }, DONE],
      () => server.requests.length === 3,
    );
    expect(ended.envelope.ok, `${ended.stdout}\n${output}`).toBe(true);
    expect(show('count.txt')).toBe('x\n');
    // The request without an answer is sent again.
    expect(server.requests).toHaveLength(5);
    expect(messagesOf(3).filter(({ role }) => role === 'assistant')).toHaveLength(2);
  });

  it.runIf(LONG)('starts again if its files are gone, and logs why', async () => {
    server.hangAfter(2);
    const { ended, output } = await play(
      [EDIT, { calls: [run(`echo x >> count.txt; ${BIG}`)] }, DONE],
      () => server.requests.length === 3,
      (jobId) => {
        bench.git('update-ref', '-d', `refs/deed/sessions/${jobId}/x/1`);
        bench.git('gc', '-q', '--prune=now');
      },
    );
    expect(ended.envelope.ok, `${ended.stdout}\n${output}`).toBe(true);
    expect(output).toContain('the session of attempt 1 is not continued');
    expect([show('a.txt'), show('count.txt')]).toEqual(['two\n', 'x\n']);
    expect(server.requests).toHaveLength(6);
    expect(messagesOf(3).filter(({ role }) => role === 'assistant')).toHaveLength(0);
  });
});
