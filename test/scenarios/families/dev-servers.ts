import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../part.ts';

const family = 'dev servers';

/** Development servers: in use, forgotten, and left in a folder that is gone. */
export const DEV_SERVERS: readonly Scenario[] = [
  {
    name: 'a server in use under a living shell',
    family,
    truth: { shell: 'useful', server: 'useful' },
    play: async ({ play, part, connectTo }, own) => {
      const server = part(own('server'), { name: 'node vite', does: 'listen' });
      await play(`${part(own('shell'), { name: 'bash', children: [server] })} wait`);
      await connectTo(`${own('server')}.port`);
    },
  },
  {
    name: 'a server in a deleted worktree',
    family,
    truth: { server: 'abandoned', helper: 'abandoned' },
    play: async ({ play, part, pidOf, folder }, own) => {
      const tree = `${folder}/${own('tree')}`;
      const parts = [
        part(own('server'), { name: 'node next dev', folder: tree }),
        part(own('helper'), { name: 'esbuild --service', folder: tree }),
      ];
      await play(`mkdir ${tree}\n${parts.join('\n')}`, { streams: 'severed' });
      await pidOf(own('server'));
      await pidOf(own('helper'));
      await play(`rmdir ${tree}`, { streams: 'severed' });
    },
  },
  {
    name: 'a server that logs to a file in a deleted worktree',
    family,
    truth: { server: 'abandoned' },
    play: async ({ play, part, pidOf, folder }, own) => {
      const tree = `${folder}/${own('tree')}`;
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await play(
        `mkdir ${tree}\n${part(own('server'), { name: 'node webpack-dev-server', folder: tree, redirect })}`,
        { streams: 'severed' },
      );
      await pidOf(own('server'));
      await play(`rmdir ${tree}`, { streams: 'severed' });
    },
  },
  {
    name: 'a server that holds its port for nobody',
    family,
    truth: { server: 'abandoned' },
    play: async ({ play, part, pidOf }, own) => {
      await play(part(own('server'), { name: 'node vite --port 3000', does: 'listen' }), {
        streams: 'severed',
      });
      await pidOf(`${own('server')}.port`);
    },
  },
  {
    name: 'a server in the background that is in use',
    family,
    truth: { server: 'useful' },
    play: async ({ play, part, connectTo, folder }, own) => {
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await play(part(own('server'), { name: 'node nodemon app.js', does: 'listen', redirect }), {
        streams: 'null',
      });
      await connectTo(`${own('server')}.port`);
    },
  },
  {
    name: 'a server put into the background with its log in a file',
    family,
    truth: { 'server*3': 'useful' },
    play: async ({ play, part, folder }, own) => {
      const parts = ['flask run', 'python manage.py runserver', 'node astro dev'].map((name, index) =>
        part(own(`server${index + 1}`), {
          name,
          redirect: `</dev/null >${folder}/${own('log')}${index} 2>&1`,
        }),
      );
      await play(parts.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a watcher under a living npm',
    family,
    truth: { npm: 'useful', watcher: 'useful', build: 'useful' },
    play: async ({ play, part }, own) => {
      const build = part(own('build'), { name: 'node build.js', redirect: NULL_STREAMS });
      const watcher = part(own('watcher'), { name: 'node nodemon', children: [build] });
      await play(`${part(own('npm'), { name: 'npm run dev', children: [watcher] })} wait`);
    },
  },
];
