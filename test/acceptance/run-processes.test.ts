import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listDescendants, signalProcesses } from '../../src/system/process-tree.ts';
import { startOrphans } from '../fixtures/orphans.ts';
import { fileOf, isAlive, until } from '../fixtures/real-processes.ts';
import { createAgentFolder, startAiAgent, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { createHome, deed, startDeed, waitFor } from '../fixtures/run-deed.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

const end = (pids: readonly number[]): void => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
};

describe('when a run finishes', () => {
  let bench: WorkBench;
  beforeAll(() => {
    bench = createBench();
  });
  afterAll(() => bench.dispose());
  const receiptOf = (runId: string): { status: string; leftovers?: unknown[] } =>
    JSON.parse(readFileSync(join(bench.home, 'runs', runId, 'RECEIPT.json'), 'utf8'));
  const script = (name: string): string =>
    `echo "$DEED_RUN_ID $DEED_RUN_MARK" > ${bench.gate}/${name}; while [ ! -e ${bench.gate}/${name}.go ]; do sleep 0.05; done; echo x > ${name}.txt`;

  const marksOf = async (name: string) => {
    const [runId = '', mark = ''] = (await fileOf(join(bench.gate, name))).trim().split(' ');
    return { runId, env: { DEED_RUN_ID: runId, DEED_RUN_MARK: mark } };
  };

  it('its remaining processes are killed and listed in the receipt', async () => {
    const running = bench.workAsync(item('left', script('left')));
    const { runId, env } = await marksOf('left');
    const left = startOrphans(2, env);
    const forged = { DEED_RUN_ID: runId, DEED_RUN_MARK: env.DEED_RUN_MARK.replace(/./u, 'x') };
    const others = startOrphans(1, forged);
    try {
      writeFileSync(join(bench.gate, 'left.go'), '');
      expect((await running).code).toBe(0);
      expect([...left, ...others].map(isAlive)).toEqual([false, false, true]);
      const { status, leftovers } = receiptOf(runId);
      expect(status).toBe('success');
      expect(leftovers).toHaveLength(2);
      expect(leftovers).toEqual(
        expect.arrayContaining(
          left.map((pid) => ({
            pid,
            command: expect.stringContaining('mcp-server-') as string,
            ended: true,
          })),
        ),
      );
      expect(bench.deed(['receipt', 'verify', runId]).code).toBe(0);
    } finally {
      end([...left, ...others]);
    }
  });

  it('a process with the id or the mark of the run that started later is not a leftover of it', async () => {
    const running = bench.workAsync(item('over', script('over')));
    const { runId, env } = await marksOf('over');
    writeFileSync(join(bench.gate, 'over.go'), '');
    expect((await running).code).toBe(0);
    // Without remaining processes the list is empty, not missing.
    expect(receiptOf(runId).leftovers).toEqual([]);
    await sleep(1500);
    const later = [...startOrphans(1, env), ...startOrphans(1, { DEED_RUN_ID: runId })];
    try {
      const plan = bench.deed(['triage', 'plan', '--run', runId, '--window', '100ms']);
      expect([plan.envelope.error, plan.envelope.data.candidates]).toEqual([undefined, []]);
    } finally {
      end(later);
    }
  });

  it('triage finds the run of a process, and plans for that run only', async () => {
    const file = bench.plan(item('lost', script('lost')));
    const { confirm_token } = bench.deed(['work', 'run', file, '--dry-run']).envelope.data;
    const child = startDeed(['work', 'run', file, '--confirm', confirm_token as string], {
      home: bench.home,
      cwd: bench.tree,
    });
    const { runId, env } = await marksOf('lost');
    const killed = waitFor(child);
    child.kill('SIGKILL');
    await killed;
    const left = startOrphans(1, env);
    const others = startOrphans(1, { DEED_RUN_ID: runId });
    try {
      const plan = bench.deed(['triage', 'plan', '--run', runId, '--include-ledger', '--window', '100ms']);
      expect(plan.envelope.error).toBeUndefined();
      const { session_id: session, candidates, recommended } = plan.envelope.data;
      expect(candidates.map(({ pid }: { pid: number }) => pid)).toEqual(left);
      expect(candidates[0]).toMatchObject({
        recommended_action: 'kill',
        origin: {
          run: {
            id: runId,
            state: 'ended',
            item: 'lost',
            agent: 'agent-1',
            status: 'lost',
            ended_at: null,
          },
          agent: null,
        },
        action_rationale: expect.stringContaining(`run ${runId}`) as string,
      });
      const sums = { useful: 0, useful_bad: 0, abandoned: 0, zombie: 0 };
      for (const { log_likelihood } of candidates[0].evidence_ledger)
        for (const of of Object.keys(sums) as (keyof typeof sums)[]) sums[of] += log_likelihood[of];
      expect(sums).toEqual(candidates[0].log_posterior);
      expect(
        candidates[0].evidence_ledger.find(({ term }: { term: string }) => term === 'grounds'),
      ).toMatchObject({ about: expect.stringContaining(runId) as string });
      expect(recommended.preselected_pids.every((pid: number) => left.includes(pid))).toBe(true);

      const again = bench.deed(['triage', 'plan', '--session', session, '--run', runId]);
      expect(again.envelope.data.candidates.map(({ pid }: { pid: number }) => pid)).toEqual(left);
      const whole = bench.deed(['triage', 'plan', '--window', '100ms']).envelope.data;
      expect(
        bench.deed(['triage', 'plan', '--session', whole.session_id, '--run', runId]).envelope.error,
      ).toMatchObject({ code: 'E_CONFLICT' });
      expect(
        bench.deed(['triage', 'plan', '--run', 'run_000000000000000000000000', '--window', '50ms']).envelope
          .error,
      ).toMatchObject({ code: 'E_NOT_FOUND' });
    } finally {
      end([...left, ...others]);
    }
  });

  it('processes of an active run are not killed', async () => {
    const running = bench.workAsync(item('alive', script('alive')));
    const { runId } = await marksOf('alive');
    const left = startOrphans(1, { DEED_RUN_ID: runId });
    try {
      const argv = [
        'triage',
        'plan',
        '--run',
        runId,
        '--only',
        'kill,pause,review,spare',
        '--verbose',
        '--window',
        '100ms',
      ];
      const { candidates, recommended } = bench.deed(argv).envelope.data;
      expect(candidates.find(({ pid }: { pid: number }) => pid === left[0])).toMatchObject({
        origin: { run: { state: 'alive', status: 'running' } },
        infeasible: { kill: 'its run is still active' },
      });
      expect(recommended.preselected_pids).not.toContain(left[0]);
    } finally {
      writeFileSync(join(bench.gate, 'alive.go'), '');
      await running;
      end(left);
    }
  });
});

describe('an orphan of an agent outside any run', () => {
  let folder: AgentFolder;
  let left: number[] = [];
  beforeEach(() => {
    folder = createAgentFolder();
  });
  afterEach(() => {
    end(left);
    folder.dispose();
  });

  it('is assessed with the session and process of the agent, including grandchildren', async () => {
    const pids = join(folder.path, 'pids');
    // Like many servers, it does not notice that its agent has exited.
    const server = `trap '' PIPE HUP; echo $$ > ${pids}.new; setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $! >> ${pids}.new; mv ${pids}.new ${pids}; exec -a mcp-server-test sleep 1000`;
    folder.write('.ai-agent.json', {
      providers: {
        // Without a tokenizer, which would take most of the time.
        p: { type: 'openai-compatible', mode: 'chat', apiKey: 'x', baseUrl: 'http://127.0.0.1:9/v1' },
      },
      mcpServers: { tool: { command: 'bash', args: ['-c', server] } },
    });
    const agent = startAiAgent(
      ['You are a tester.', 'Continue.', '--models', 'p/gpt-4o', '--tools', 'tool'],
      {
        folder,
      },
    );
    const agentPid = agent.pid ?? 0;
    left = (await fileOf(pids)).trim().split('\n').map(Number);
    const home = createHome();
    const explain = (): { pid: number; observation: { anchor: string }; origin: unknown }[] =>
      deed(['triage', 'explain', ...left.map(String)], { home: home.path }).envelope.data.candidates;
    try {
      for (const { observation, origin } of explain()) {
        expect(['agent', 'parent']).toContain(observation.anchor);
        expect(origin).toMatchObject({ run: null, agent: { pid: agentPid, state: 'alive' } });
      }
      // Its watcher would end the server, so it is killed too, as by a system that runs out of memory.
      const watchers = listDescendants(agentPid).filter(({ pid }) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('deed-exit-watcher'),
      );
      expect(watchers).toHaveLength(1);
      signalProcesses(watchers, 'SIGKILL');
      agent.kill('SIGKILL');
      await once(agent, 'exit');
      await until(() => !existsSync(`/proc/${agentPid}`), 'the agent has exited');
      const found = explain();
      expect(found.map(({ pid }) => pid)).toEqual(left);
      for (const { observation, origin } of found) {
        expect(observation.anchor).toBe('ended_agent');
        expect(origin).toEqual({
          run: null,
          agent: {
            session: expect.stringMatching(/^[0-9a-f]{32}$/u) as string,
            pid: agentPid,
            state: 'ended',
            last_seen_at: null,
          },
        });
      }
    } finally {
      agent.kill('SIGKILL');
      home.dispose();
    }
  });
});
