import { AGENT_MARK, renderAgentMark } from '../../../src/base/agent-mark.ts';
import { identifyProcess, pidNamespace } from '../../../src/system/process-identity.ts';
import type { Snapshot } from '../../../src/triage/process-snapshot.ts';
import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../part.ts';

const family = 'agents';

/** Above every pid that Linux gives out. */
const DEAD_AGENT = 4_194_305;
const LIVE_RUN = 'run-that-goes-on';
const ENDED_RUN = 'run-that-ended';

/** Runs that go on and runs that have ended, as those know them who keep runs. */
export const RUNS: NonNullable<Snapshot['runs']> = {
  [LIVE_RUN]: { item: 'item-1', agent: 'agent-1', alive: true, status: 'running', endedAt: null },
  [ENDED_RUN]: { item: 'item-2', agent: 'agent-1', alive: false, status: 'lost', endedAt: null },
};

/** Coding agents, what they start, and what is left of them. */
export const AGENTS: readonly Scenario[] = [
  {
    name: 'a living agent on a terminal with a shell and a test run',
    family,
    needs: 'script',
    truth: { agent: 'useful', shell: 'useful', tests: 'useful' },
    play: async ({ play, part }, own) => {
      const tests = part(own('tests'), { name: 'node vitest run' });
      const shell = part(own('shell'), { name: 'bash -c npm test', children: [tests] });
      await play(`${part(own('agent'), { name: 'claude', children: [shell] })} wait`, { terminal: true });
    },
  },
  {
    name: 'a detached process of a run that goes on',
    family,
    truth: { worker: 'useful', server: 'useful' },
    play: async ({ play, part }, own) => {
      const parts = [
        part(own('worker'), { name: 'python worker.py', setsid: true, redirect: NULL_STREAMS }),
        part(own('server'), { name: 'node server.js', redirect: NULL_STREAMS }),
      ];
      await play(parts.join('\n'), { env: { DEED_RUN_ID: LIVE_RUN }, streams: 'null' });
    },
  },
  {
    name: 'what a run that has ended left behind',
    family,
    truth: { server: 'abandoned', watcher: 'abandoned' },
    play: async ({ play, part }, own) => {
      const parts = [
        part(own('server'), { name: 'node vite' }),
        part(own('watcher'), { name: 'node --watch test.js' }),
      ];
      await play(parts.join('\n'), { env: { DEED_RUN_ID: ENDED_RUN }, streams: 'severed' });
    },
  },
  {
    name: 'a background server of a living agent',
    family,
    truth: { agent: 'useful', server: 'useful' },
    play: async ({ play, part }, own) => {
      const server = part(own('server'), { name: 'node next dev', setsid: true, redirect: NULL_STREAMS });
      await play(`${part(own('agent'), { name: 'opencode', children: [server] })} wait`);
    },
  },
  {
    name: 'a shell loop that outlived its agent',
    family,
    truth: { shell: 'abandoned', loop: 'abandoned' },
    play: async ({ play, part }, own) => {
      const loop = part(own('loop'), { name: 'bash poll.sh', does: 'tick' });
      await play(part(own('shell'), { name: 'bash -c poll', children: [loop] }), { streams: 'severed' });
    },
  },
  {
    name: 'tools of an agent that crashed while its session goes on',
    family,
    truth: { server: 'abandoned', tests: 'abandoned', language: 'abandoned' },
    play: async ({ play, part }, own) => {
      const redirect = '< <(:) > >(:) 2>&1';
      const parts = [
        part(own('server'), { name: 'node mcp-server-search', redirect }),
        part(own('tests'), { name: 'node jest-worker/processChild.js', redirect }),
        part(own('language'), { name: 'gopls', redirect }),
      ];
      // The subshell is the agent; the shell that it was started from stays.
      await play(`( ${parts.join('\n')}\n)\nexec sleep 100000`);
    },
  },
  {
    name: 'tools without streams whose agent died',
    family,
    truth: { server: 'abandoned', tests: 'abandoned', site: 'abandoned' },
    play: async ({ play, part }, own) => {
      const parts = [
        part(own('server'), { name: 'node mcp-server-calendar', redirect: NULL_STREAMS }),
        part(own('tests'), { name: 'python -m pytest -x', redirect: NULL_STREAMS }),
        // Nothing tells this one from a server that somebody put into the background: a known miss.
        part(own('site'), { name: 'node vite preview', redirect: NULL_STREAMS }),
      ];
      await play(parts.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'an agent that works without a terminal for a living script',
    family,
    truth: { caller: 'useful', agent: 'useful', tool: 'useful' },
    play: async ({ play, part }, own) => {
      const tool = part(own('tool'), { name: 'rg --json pattern' });
      const agent = part(own('agent'), { name: 'gemini -p task', children: [tool] });
      await play(`${part(own('caller'), { name: 'bash nightly.sh', children: [agent] })} wait`);
    },
  },
  {
    name: 'tools without streams that carry the mark of an agent that died',
    family,
    truth: { server: 'abandoned', tests: 'abandoned', site: 'abandoned' },
    play: async ({ play, part }, own) => {
      const parts = [
        part(own('server'), { name: 'node mcp-server-mail', redirect: NULL_STREAMS }),
        part(own('tests'), { name: 'python -m pytest -q', redirect: NULL_STREAMS }),
        part(own('site'), { name: 'node vite preview --port 4000', redirect: NULL_STREAMS }),
      ];
      await play(parts.join('\n'), { streams: 'null', env: markOf(DEAD_AGENT) });
    },
  },
  {
    name: 'tools with a log that carry the mark of an agent that died',
    family,
    truth: { server: 'abandoned', watcher: 'abandoned' },
    play: async ({ play, part, folder }, own) => {
      const log = (name: string): string => `</dev/null >${folder}/${own(name)}.log 2>&1`;
      const parts = [
        part(own('server'), { name: 'node mcp-server-chat', redirect: log('server') }),
        part(own('watcher'), { name: 'node jest --watch', redirect: log('watcher'), setsid: true }),
      ];
      await play(parts.join('\n'), { streams: 'null', env: markOf(DEAD_AGENT) });
    },
  },
  {
    name: 'a wrapped server that carries the mark of an agent that died',
    family,
    truth: { wrapper: 'abandoned', server: 'abandoned' },
    play: async ({ play, part }, own) => {
      const server = part(own('server'), { name: 'node mcp-server-maps' });
      const wrapper = { name: 'npm exec mcp-server-maps', children: [server], redirect: NULL_STREAMS };
      await play(part(own('wrapper'), wrapper), { streams: 'null', env: markOf(DEAD_AGENT) });
    },
  },
  {
    name: 'a server that an agent left to a person who uses it',
    family,
    truth: { server: 'useful' },
    play: async ({ play, part, connectTo }, own) => {
      const server = { name: 'node vite', does: 'listen', redirect: NULL_STREAMS } as const;
      await play(part(own('server'), server), { streams: 'null', env: markOf(DEAD_AGENT) });
      await connectTo(`${own('server')}.port`);
    },
  },
  {
    name: 'an agent in the background with its tools',
    family,
    truth: { agent: 'useful', server: 'useful', tests: 'useful' },
    play: async ({ play, part, folder }, own) => {
      const children = [
        part(own('server'), { name: 'node mcp-server-issues' }),
        part(own('tests'), { name: 'node vitest run', redirect: NULL_STREAMS }),
      ];
      const redirect = `</dev/null >${folder}/${own('agent')}.log 2>&1`;
      await play(part(own('agent'), { name: 'claude -p task', children, redirect }), { streams: 'null' });
    },
  },
  {
    name: 'a detached server that carries the mark of an agent that lives',
    family,
    truth: { server: 'useful', worker: 'useful' },
    play: async ({ play, part }, own) => {
      const parts = [
        part(own('server'), { name: 'node server.js', setsid: true, redirect: NULL_STREAMS }),
        part(own('worker'), { name: 'python worker.py', redirect: NULL_STREAMS }),
      ];
      await play(parts.join('\n'), { streams: 'null', env: markOf(process.pid) });
    },
  },
  {
    name: 'what people work with although it carries the mark of an agent that died',
    family,
    needs: 'script',
    truth: { shell: 'useful', server: 'useful' },
    play: async ({ play, part }, own) => {
      const server = part(own('server'), { name: 'node vite' });
      const shell = part(own('shell'), { name: '-bash', children: [server] });
      await play(`${shell} wait`, { terminal: true, env: markOf(DEAD_AGENT) });
    },
  },
];

/** The mark that an agent with this pid leaves on what it starts; a pid that nobody can have is an agent that has died. */
function markOf(pid: number): Record<string, string> {
  const [bootId = '', ticks = '1'] = identifyProcess(process.pid)?.startedAt.split(':') ?? [];
  const session = '00112233445566778899aabbccddeeff';
  const space = pidNamespace(process.pid);
  return { [AGENT_MARK]: renderAgentMark({ session, pid, bootId, startTicks: Number(ticks), space }) };
}
