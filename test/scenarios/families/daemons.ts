import { NULL_STREAMS } from '../part.ts';
import type { Scenario } from '../scenario.ts';
import { count } from '../scenario.ts';

const family = 'daemons';

/** What was meant to be on its own. */
export const DAEMONS: readonly Scenario[] = [
  {
    name: 'a database that forked twice and holds its lock',
    family,
    truth: { database: 'useful' },
    play: async ({ play, part }, own) => {
      await play(
        part(own('database'), {
          name: '/usr/bin/etcd --data x',
          does: 'lock',
          folder: '/',
          redirect: NULL_STREAMS,
        }),
        { streams: 'null' },
      );
    },
  },
  {
    name: 'build daemons that wait for the next build',
    family,
    truth: { gradle: 'useful', bazel: 'useful', kotlin: 'useful' },
    play: async ({ play, part, folder }, own) => {
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      const parts = [
        part(own('gradle'), {
          name: 'java org.gradle.launcher.daemon.bootstrap.GradleDaemon 8',
          setsid: true,
          redirect,
        }),
        part(own('bazel'), { name: 'bazel(project)', setsid: true, redirect }),
        part(own('kotlin'), { name: 'java KotlinCompileDaemon', redirect: NULL_STREAMS }),
      ];
      await play(parts.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a daemon with workers',
    family,
    truth: { master: 'useful', 'worker*3': 'useful' },
    play: async ({ play, part }, own) => {
      const workers = count(3).map((index) => part(own(`worker${index}`), { name: 'celery worker' }));
      await play(
        part(own('master'), {
          name: 'celery master',
          setsid: true,
          folder: '/',
          children: workers,
          redirect: NULL_STREAMS,
        }),
        { streams: 'null' },
      );
    },
  },
  {
    name: 'a daemon that serves somebody',
    family,
    truth: { daemon: 'useful' },
    play: async ({ play, part, connectTo }, own) => {
      await play(
        part(own('daemon'), {
          name: 'my-service --listen',
          does: 'listen',
          setsid: true,
          redirect: NULL_STREAMS,
        }),
        { streams: 'null' },
      );
      await connectTo(`${own('daemon')}.port`);
    },
  },
  {
    name: 'a daemon that listens and waits',
    family,
    truth: { 'daemon*2': 'useful' },
    play: async ({ play, part, pidOf }, own) => {
      const parts = count(2).map((index) =>
        part(own(`daemon${index}`), {
          name: 'my-service',
          does: 'listen',
          setsid: true,
          redirect: NULL_STREAMS,
        }),
      );
      await play(parts.join('\n'), { streams: 'null' });
      await pidOf(`${own('daemon1')}.port`);
      await pidOf(`${own('daemon2')}.port`);
    },
  },
  {
    name: 'daemons that forked twice, the old way',
    family,
    truth: { 'daemon*8': 'useful' },
    play: async ({ play, part }, own) => {
      const parts = count(8).map((index) =>
        part(own(`daemon${index}`), {
          name: `/usr/local/bin/agentd${index}`,
          folder: '/',
          does: index % 2 === 0 ? 'tick' : 'sleep',
          redirect: NULL_STREAMS,
        }),
      );
      await play(parts.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a daemon below a subreaper',
    family,
    truth: { reaper: 'useful', main: 'useful', daemon: 'useful' },
    play: async ({ play, part, folder }, own) => {
      const daemon = part(own('daemon'), {
        name: 'syncd',
        setsid: true,
        folder: '/',
        redirect: NULL_STREAMS,
      });
      const main = part(own('main'), { name: 'app main' });
      const script = `${folder}/${own('below')}.sh`;
      await play(
        `cat > ${script} <<'END'\n${daemon}\n${main}\nEND\n${subreaper(`${folder}/${own('reaper')}`, script)}`,
      );
    },
  },
  {
    name: 'an orphaned tool server below a subreaper',
    family,
    truth: { holder: 'useful', server: 'abandoned' },
    play: async ({ play, part, folder }, own) => {
      const server = part(own('server'), { name: 'node mcp-server-slack', redirect: '< <(:) > >(:) 2>&1' });
      const script = `${folder}/${own('below')}.sh`;
      await play(
        `cat > ${script} <<'END'\nsetsid bash ${script}.inner\nEND\ncat > ${script}.inner <<'END'\n${server}\nEND\n${subreaper(`${folder}/${own('holder')}`, script)}`,
      );
    },
  },
  {
    name: 'a process manager with what it manages',
    family,
    truth: { manager: 'useful', 'app*2': 'useful' },
    play: async ({ play, part }, own) => {
      const apps = count(2).map((index) => part(own(`app${index}`), { name: `node /srv/app${index}.js` }));
      await play(
        part(own('manager'), {
          name: 'PM2 v6: God Daemon',
          setsid: true,
          children: apps,
          redirect: NULL_STREAMS,
        }),
        { streams: 'null', env: { pm_id: '0' } },
      );
    },
  },
];

const SUBREAPER = new URL('../subreaper.ts', import.meta.url).pathname;

function subreaper(pidFile: string, script: string): string {
  return `exec ${process.execPath} ${SUBREAPER} ${pidFile} ${script}`;
}
