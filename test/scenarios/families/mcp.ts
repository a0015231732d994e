import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../process-spec.ts';
import { count } from '../scenario.ts';

const family = 'mcp';

/** Tool servers of running and exited agents. */
export const MCP: readonly Scenario[] = [
  {
    name: 'an MCP server whose agent exited',
    family,
    truth: { 'server*3': 'abandoned' },
    run: async ({ run, background }, own) => {
      const names = [
        'node /opt/app/mcp-server-github',
        'node /x/@modelcontextprotocol/server-memory/dist/index.js',
        'python -m notes_mcp',
      ];
      await run(names.map((name, index) => background(own(`server${index + 1}`), { name })).join('\n'), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'an orphaned wrapper chain: npx, shell, server',
    family,
    truth: { wrapper: 'abandoned', shell: 'abandoned', server: 'abandoned' },
    run: async ({ run, background }, own) => {
      const server = background(own('server'), { name: 'node /home/u/.npm/_npx/1/mcp-server-fetch' });
      const shell = background(own('shell'), { name: 'sh -c mcp-server-fetch', children: [server] });
      await run(background(own('wrapper'), { name: 'npm exec mcp-server-fetch', children: [shell] }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a server started by uvx whose agent exited',
    family,
    truth: { wrapper: 'abandoned', server: 'abandoned' },
    run: async ({ run, background }, own) => {
      const server = background(own('server'), { name: 'python /home/ada/.cache/uv/mcp-server-git' });
      await run(background(own('wrapper'), { name: 'uvx mcp-server-git', children: [server] }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a server with a log file whose agent exited',
    family,
    truth: { server: 'abandoned' },
    run: async ({ run, background, folder }, own) => {
      const redirect = `2>${folder}/${own('log')}`;
      await run(background(own('server'), { name: 'node figma-mcp-server', redirect }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a server in its own session whose agent exited',
    family,
    truth: { server: 'abandoned' },
    run: async ({ run, background }, own) => {
      await run(background(own('server'), { name: 'node mcp-server-postgres', setsid: true }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'servers started without streams whose agent exited',
    family,
    truth: { 'server*2': 'abandoned' },
    run: async ({ run, background }, own) => {
      const names = ['node mcp-server-notes --http', 'npm exec @modelcontextprotocol/server-memory'];
      await run(
        names
          .map((name, index) => background(own(`server${index + 1}`), { name, redirect: NULL_STREAMS }))
          .join('\n'),
        { streams: 'null' },
      );
    },
  },
  {
    name: 'servers of a running agent',
    family,
    truth: { agent: 'useful', 'server*4': 'useful' },
    run: async ({ run, background }, own) => {
      const servers = count(4).map((index) =>
        background(own(`server${index}`), { name: `node mcp-server-${index}` }),
      );
      await run(`${background(own('agent'), { name: 'claude', children: servers })} wait`);
    },
  },
  {
    name: 'a wrapped server of a running agent',
    family,
    truth: { agent: 'useful', wrapper: 'useful', server: 'useful' },
    run: async ({ run, background }, own) => {
      const server = background(own('server'), { name: 'node mcp-server-browser' });
      const wrapper = background(own('wrapper'), { name: 'npm exec mcp-server-browser', children: [server] });
      await run(`${background(own('agent'), { name: '/usr/bin/codex', children: [wrapper] })} wait`);
    },
  },
];
