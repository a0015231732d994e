import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../part.ts';
import { count } from '../scenario.ts';

const family = 'mcp';

/** Tool servers of agents: kept while the agent lives, left behind by the dozen when it dies. */
export const MCP: readonly Scenario[] = [
  {
    name: 'an MCP server whose agent died',
    family,
    truth: { 'server*3': 'abandoned' },
    play: async ({ play, part }, own) => {
      const names = [
        'node /opt/app/mcp-server-github',
        'node /x/@modelcontextprotocol/server-memory/dist/index.js',
        'python -m notes_mcp',
      ];
      await play(names.map((name, index) => part(own(`server${index + 1}`), { name })).join('\n'), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a dead wrapper chain: npx, shell, server',
    family,
    truth: { wrapper: 'abandoned', shell: 'abandoned', server: 'abandoned' },
    play: async ({ play, part }, own) => {
      const server = part(own('server'), { name: 'node /home/u/.npm/_npx/1/mcp-server-fetch' });
      const shell = part(own('shell'), { name: 'sh -c mcp-server-fetch', children: [server] });
      await play(part(own('wrapper'), { name: 'npm exec mcp-server-fetch', children: [shell] }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a server started by uvx whose agent died',
    family,
    truth: { wrapper: 'abandoned', server: 'abandoned' },
    play: async ({ play, part }, own) => {
      const server = part(own('server'), { name: 'python /home/ada/.cache/uv/mcp-server-git' });
      await play(part(own('wrapper'), { name: 'uvx mcp-server-git', children: [server] }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a server that complains into a log and whose agent died',
    family,
    truth: { server: 'abandoned' },
    play: async ({ play, part, folder }, own) => {
      const redirect = `2>${folder}/${own('log')}`;
      await play(part(own('server'), { name: 'node figma-mcp-server', redirect }), { streams: 'severed' });
    },
  },
  {
    name: 'a server in a session of its own whose agent died',
    family,
    truth: { server: 'abandoned' },
    play: async ({ play, part }, own) => {
      await play(part(own('server'), { name: 'node mcp-server-postgres', setsid: true }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'servers started without streams whose agent died',
    family,
    truth: { 'server*2': 'abandoned' },
    play: async ({ play, part }, own) => {
      const names = ['node mcp-server-notes --http', 'npm exec @modelcontextprotocol/server-memory'];
      await play(
        names
          .map((name, index) => part(own(`server${index + 1}`), { name, redirect: NULL_STREAMS }))
          .join('\n'),
        { streams: 'null' },
      );
    },
  },
  {
    name: 'servers of a living agent',
    family,
    truth: { agent: 'useful', 'server*4': 'useful' },
    play: async ({ play, part }, own) => {
      const servers = count(4).map((index) =>
        part(own(`server${index}`), { name: `node mcp-server-${index}` }),
      );
      await play(`${part(own('agent'), { name: 'claude', children: servers })} wait`);
    },
  },
  {
    name: 'a wrapped server of a living agent',
    family,
    truth: { agent: 'useful', wrapper: 'useful', server: 'useful' },
    play: async ({ play, part }, own) => {
      const server = part(own('server'), { name: 'node mcp-server-browser' });
      const wrapper = part(own('wrapper'), { name: 'npm exec mcp-server-browser', children: [server] });
      await play(`${part(own('agent'), { name: '/usr/bin/codex', children: [wrapper] })} wait`);
    },
  },
];
