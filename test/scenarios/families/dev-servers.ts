import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../process-spec.ts';

const family = 'dev servers';

/** Development servers: in use, abandoned, and in a deleted folder. */
export const DEV_SERVERS: readonly Scenario[] = [
  {
    name: 'a server in use under a running shell',
    family,
    truth: { shell: 'useful', server: 'useful' },
    run: async ({ run, background, connectTo }, own) => {
      const server = background(own('server'), { name: 'node vite', does: 'listen' });
      await run(`${background(own('shell'), { name: 'bash', children: [server] })} wait`);
      await connectTo(`${own('server')}.port`);
    },
  },
  {
    name: 'a server in a deleted worktree',
    family,
    truth: { server: 'abandoned', helper: 'abandoned' },
    run: async ({ run, background, pidOf, folder }, own) => {
      const tree = `${folder}/${own('tree')}`;
      const processes = [
        background(own('server'), { name: 'node next dev', folder: tree }),
        background(own('helper'), { name: 'esbuild --service', folder: tree }),
      ];
      await run(`mkdir ${tree}\n${processes.join('\n')}`, { streams: 'severed' });
      await pidOf(own('server'));
      await pidOf(own('helper'));
      await run(`rmdir ${tree}`, { streams: 'severed' });
    },
  },
  {
    name: 'a server that logs to a file in a deleted worktree',
    family,
    truth: { server: 'abandoned' },
    run: async ({ run, background, pidOf, folder }, own) => {
      const tree = `${folder}/${own('tree')}`;
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await run(
        `mkdir ${tree}\n${background(own('server'), { name: 'node webpack-dev-server', folder: tree, redirect })}`,
        { streams: 'severed' },
      );
      await pidOf(own('server'));
      await run(`rmdir ${tree}`, { streams: 'severed' });
    },
  },
  {
    name: 'a listening server without clients',
    family,
    truth: { server: 'abandoned' },
    run: async ({ run, background, pidOf }, own) => {
      await run(background(own('server'), { name: 'node vite --port 3000', does: 'listen' }), {
        streams: 'severed',
      });
      await pidOf(`${own('server')}.port`);
    },
  },
  {
    name: 'a server in the background that is in use',
    family,
    truth: { server: 'useful' },
    run: async ({ run, background, connectTo, folder }, own) => {
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await run(background(own('server'), { name: 'node nodemon app.js', does: 'listen', redirect }), {
        streams: 'null',
      });
      await connectTo(`${own('server')}.port`);
    },
  },
  {
    name: 'a server put into the background with its log in a file',
    family,
    truth: { 'server*3': 'useful' },
    run: async ({ run, background, folder }, own) => {
      const processes = ['flask run', 'python manage.py runserver', 'node astro dev'].map((name, index) =>
        background(own(`server${index + 1}`), {
          name,
          redirect: `</dev/null >${folder}/${own('log')}${index} 2>&1`,
        }),
      );
      await run(processes.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a watcher under a running npm',
    family,
    truth: { npm: 'useful', watcher: 'useful', build: 'useful' },
    run: async ({ run, background }, own) => {
      const build = background(own('build'), { name: 'node build.js', redirect: NULL_STREAMS });
      const watcher = background(own('watcher'), { name: 'node nodemon', children: [build] });
      await run(`${background(own('npm'), { name: 'npm run dev', children: [watcher] })} wait`);
    },
  },
];
