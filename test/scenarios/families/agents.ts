import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../part.ts';

const family = 'agents';

/** Runs that go on and runs that have ended; the corpus tells which. */
export const LIVE_RUN = 'run-that-goes-on';
const ENDED_RUN = 'run-that-ended';

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
      const parts = [
        part(own('server'), { name: 'node mcp-server-search' }),
        part(own('tests'), { name: 'node jest-worker/processChild.js' }),
        part(own('language'), { name: 'gopls' }),
      ];
      await play(parts.join('\n'), { streams: 'severed', session: false });
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
];
