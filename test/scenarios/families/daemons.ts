import { NULL_STREAMS } from '../process-spec.ts';
import type { Scenario } from '../scenario.ts';
import { count } from '../scenario.ts';

const family = 'daemons';

/** Daemons. */
export const DAEMONS: readonly Scenario[] = [
  {
    name: 'a database that forked twice and has a file lock',
    family,
    truth: { database: 'useful' },
    run: async ({ run, background }, own) => {
      await run(
        background(own('database'), {
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
    run: async ({ run, background, folder }, own) => {
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      const processes = [
        background(own('gradle'), {
          name: 'java org.gradle.launcher.daemon.bootstrap.GradleDaemon 8',
          setsid: true,
          redirect,
        }),
        background(own('bazel'), { name: 'bazel(project)', setsid: true, redirect }),
        background(own('kotlin'), { name: 'java KotlinCompileDaemon', redirect: NULL_STREAMS }),
      ];
      await run(processes.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a daemon with workers',
    family,
    truth: { master: 'useful', 'worker*3': 'useful' },
    run: async ({ run, background }, own) => {
      const workers = count(3).map((index) => background(own(`worker${index}`), { name: 'celery worker' }));
      await run(
        background(own('master'), {
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
    name: 'a daemon with a client',
    family,
    truth: { daemon: 'useful' },
    run: async ({ run, background, connectTo }, own) => {
      await run(
        background(own('daemon'), {
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
    run: async ({ run, background, pidOf }, own) => {
      const processes = count(2).map((index) =>
        background(own(`daemon${index}`), {
          name: 'my-service',
          does: 'listen',
          setsid: true,
          redirect: NULL_STREAMS,
        }),
      );
      await run(processes.join('\n'), { streams: 'null' });
      await pidOf(`${own('daemon1')}.port`);
      await pidOf(`${own('daemon2')}.port`);
    },
  },
  {
    name: 'classic daemons that forked twice',
    family,
    truth: { 'daemon*8': 'useful' },
    run: async ({ run, background }, own) => {
      const processes = count(8).map((index) =>
        background(own(`daemon${index}`), {
          name: `/usr/local/bin/agentd${index}`,
          folder: '/',
          does: index % 2 === 0 ? 'tick' : 'sleep',
          redirect: NULL_STREAMS,
        }),
      );
      await run(processes.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a daemon below a subreaper',
    family,
    truth: { reaper: 'useful', main: 'useful', daemon: 'useful' },
    run: async ({ run, background, folder }, own) => {
      const daemon = background(own('daemon'), {
        name: 'syncd',
        setsid: true,
        folder: '/',
        redirect: NULL_STREAMS,
      });
      const main = background(own('main'), { name: 'app main' });
      const script = `${folder}/${own('below')}.sh`;
      await run(
        `cat > ${script} <<'END'\n${daemon}\n${main}\nEND\n${subreaper(`${folder}/${own('reaper')}`, script)}`,
      );
    },
  },
  {
    name: 'an orphaned tool server below a subreaper',
    family,
    truth: { holder: 'useful', server: 'abandoned' },
    run: async ({ run, background, folder }, own) => {
      const server = background(own('server'), {
        name: 'node mcp-server-slack',
        redirect: '< <(:) > >(:) 2>&1',
      });
      const script = `${folder}/${own('below')}.sh`;
      await run(
        `cat > ${script} <<'END'\nsetsid bash ${script}.inner\nEND\ncat > ${script}.inner <<'END'\n${server}\nEND\n${subreaper(`${folder}/${own('holder')}`, script)}`,
      );
    },
  },
  {
    name: 'a process manager and its processes',
    family,
    truth: { manager: 'useful', 'app*2': 'useful' },
    run: async ({ run, background }, own) => {
      const apps = count(2).map((index) =>
        background(own(`app${index}`), { name: `node /srv/app${index}.js` }),
      );
      await run(
        background(own('manager'), {
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
