import { AGENT_MARK, renderAgentMark } from '../../../src/base/agent-mark.ts';
import { identifyProcess, pidNamespace } from '../../../src/system/process-identity.ts';
import type { ProcessSnapshot } from '../../../src/triage/process-snapshot.ts';
import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../process-spec.ts';

const family = 'agents';

/** Higher than any pid on Linux. */
const DEAD_AGENT = 4_194_305;
const LIVE_RUN = 'active-run';
const ENDED_RUN = 'finished-run';

/** An active and a finished run. */
export const RUNS: NonNullable<ProcessSnapshot['runs']> = {
  [LIVE_RUN]: { item: 'item-1', agent: 'agent-1', alive: true, status: 'running', endedAt: null },
  [ENDED_RUN]: { item: 'item-2', agent: 'agent-1', alive: false, status: 'lost', endedAt: null },
};

/** Coding agents and the processes they start. */
export const AGENTS: readonly Scenario[] = [
  {
    name: 'a running agent on a terminal with a shell and a test run',
    family,
    needs: 'script',
    truth: { agent: 'useful', shell: 'useful', tests: 'useful' },
    run: async ({ run, background }, own) => {
      const tests = background(own('tests'), { name: 'node vitest run' });
      const shell = background(own('shell'), { name: 'bash -c npm test', children: [tests] });
      await run(`${background(own('agent'), { name: 'claude', children: [shell] })} wait`, {
        terminal: true,
      });
    },
  },
  {
    name: 'a detached process of an active run',
    family,
    truth: { worker: 'useful', server: 'useful' },
    run: async ({ run, background }, own) => {
      const processes = [
        background(own('worker'), { name: 'python worker.py', setsid: true, redirect: NULL_STREAMS }),
        background(own('server'), { name: 'node server.js', redirect: NULL_STREAMS }),
      ];
      await run(processes.join('\n'), { env: { DEED_RUN_ID: LIVE_RUN }, streams: 'null' });
    },
  },
  {
    name: 'orphans of a finished run',
    family,
    truth: { server: 'abandoned', watcher: 'abandoned' },
    run: async ({ run, background }, own) => {
      const processes = [
        background(own('server'), { name: 'node vite' }),
        background(own('watcher'), { name: 'node --watch test.js' }),
      ];
      await run(processes.join('\n'), { env: { DEED_RUN_ID: ENDED_RUN }, streams: 'severed' });
    },
  },
  {
    name: 'a background server of a running agent',
    family,
    truth: { agent: 'useful', server: 'useful' },
    run: async ({ run, background }, own) => {
      const server = background(own('server'), {
        name: 'node next dev',
        setsid: true,
        redirect: NULL_STREAMS,
      });
      await run(`${background(own('agent'), { name: 'opencode', children: [server] })} wait`);
    },
  },
  {
    name: 'a shell loop that outlived its agent',
    family,
    truth: { shell: 'abandoned', loop: 'abandoned' },
    run: async ({ run, background }, own) => {
      const loop = background(own('loop'), { name: 'bash poll.sh', does: 'tick' });
      await run(background(own('shell'), { name: 'bash -c poll', children: [loop] }), { streams: 'severed' });
    },
  },
  {
    name: 'tools of an agent that crashed while its shell is running',
    family,
    truth: { server: 'abandoned', tests: 'abandoned', language: 'abandoned' },
    run: async ({ run, background }, own) => {
      const redirect = '< <(:) > >(:) 2>&1';
      const processes = [
        background(own('server'), { name: 'node mcp-server-search', redirect }),
        background(own('tests'), { name: 'node jest-worker/processChild.js', redirect }),
        background(own('language'), { name: 'gopls', redirect }),
      ];
      // The subshell is the agent; the shell that started it keeps running.
      await run(`( ${processes.join('\n')}\n)\nexec sleep 100000`);
    },
  },
  {
    name: 'tools without streams whose agent exited',
    family,
    truth: { server: 'abandoned', tests: 'abandoned', site: 'abandoned' },
    run: async ({ run, background }, own) => {
      const processes = [
        background(own('server'), { name: 'node mcp-server-calendar', redirect: NULL_STREAMS }),
        background(own('tests'), { name: 'python -m pytest -x', redirect: NULL_STREAMS }),
        // This one looks like a server that a user put into the background: a known miss.
        background(own('site'), { name: 'node vite preview', redirect: NULL_STREAMS }),
      ];
      await run(processes.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'an agent without a terminal under a running script',
    family,
    truth: { caller: 'useful', agent: 'useful', tool: 'useful' },
    run: async ({ run, background }, own) => {
      const tool = background(own('tool'), { name: 'rg --json pattern' });
      const agent = background(own('agent'), { name: 'gemini -p task', children: [tool] });
      await run(`${background(own('caller'), { name: 'bash nightly.sh', children: [agent] })} wait`);
    },
  },
  {
    name: 'tools without streams with the mark of an exited agent',
    family,
    truth: { server: 'abandoned', tests: 'abandoned', site: 'abandoned' },
    run: async ({ run, background }, own) => {
      const processes = [
        background(own('server'), { name: 'node mcp-server-mail', redirect: NULL_STREAMS }),
        background(own('tests'), { name: 'python -m pytest -q', redirect: NULL_STREAMS }),
        background(own('site'), { name: 'node vite preview --port 4000', redirect: NULL_STREAMS }),
      ];
      await run(processes.join('\n'), { streams: 'null', env: markOf(DEAD_AGENT) });
    },
  },
  {
    name: 'tools with a log with the mark of an exited agent',
    family,
    truth: { server: 'abandoned', watcher: 'abandoned' },
    run: async ({ run, background, folder }, own) => {
      const log = (name: string): string => `</dev/null >${folder}/${own(name)}.log 2>&1`;
      const processes = [
        background(own('server'), { name: 'node mcp-server-chat', redirect: log('server') }),
        background(own('watcher'), { name: 'node jest --watch', redirect: log('watcher'), setsid: true }),
      ];
      await run(processes.join('\n'), { streams: 'null', env: markOf(DEAD_AGENT) });
    },
  },
  {
    name: 'a wrapped server with the mark of an exited agent',
    family,
    truth: { wrapper: 'abandoned', server: 'abandoned' },
    run: async ({ run, background }, own) => {
      const server = background(own('server'), { name: 'node mcp-server-maps' });
      const wrapper = { name: 'npm exec mcp-server-maps', children: [server], redirect: NULL_STREAMS };
      await run(background(own('wrapper'), wrapper), { streams: 'null', env: markOf(DEAD_AGENT) });
    },
  },
  {
    name: 'a server of an exited agent that a user is connected to',
    family,
    truth: { server: 'useful' },
    run: async ({ run, background, connectTo }, own) => {
      const server = { name: 'node vite', does: 'listen', redirect: NULL_STREAMS } as const;
      await run(background(own('server'), server), { streams: 'null', env: markOf(DEAD_AGENT) });
      await connectTo(`${own('server')}.port`);
    },
  },
  {
    name: 'an agent in the background with its tools',
    family,
    truth: { agent: 'useful', server: 'useful', tests: 'useful' },
    run: async ({ run, background, folder }, own) => {
      const children = [
        background(own('server'), { name: 'node mcp-server-issues' }),
        background(own('tests'), { name: 'node vitest run', redirect: NULL_STREAMS }),
      ];
      const redirect = `</dev/null >${folder}/${own('agent')}.log 2>&1`;
      await run(background(own('agent'), { name: 'claude -p task', children, redirect }), {
        streams: 'null',
      });
    },
  },
  {
    name: 'a detached server with the mark of a running agent',
    family,
    truth: { server: 'useful', worker: 'useful' },
    run: async ({ run, background }, own) => {
      const processes = [
        background(own('server'), { name: 'node server.js', setsid: true, redirect: NULL_STREAMS }),
        background(own('worker'), { name: 'python worker.py', redirect: NULL_STREAMS }),
      ];
      await run(processes.join('\n'), { streams: 'null', env: markOf(process.pid) });
    },
  },
  {
    name: 'a shell and a server in use with the mark of an exited agent',
    family,
    needs: 'script',
    truth: { shell: 'useful', server: 'useful' },
    run: async ({ run, background }, own) => {
      const server = background(own('server'), { name: 'node vite' });
      const shell = background(own('shell'), { name: '-bash', children: [server] });
      await run(`${shell} wait`, { terminal: true, env: markOf(DEAD_AGENT) });
    },
  },
];

/** The environment mark of an agent with this pid; a pid that cannot exist means an exited agent. */
function markOf(pid: number): Record<string, string> {
  const [bootId = '', ticks = '1'] = identifyProcess(process.pid)?.startedAt.split(':') ?? [];
  const session = '00112233445566778899aabbccddeeff';
  const space = pidNamespace(process.pid);
  return { [AGENT_MARK]: renderAgentMark({ session, pid, bootId, startTicks: Number(ticks), space }) };
}
