import { NULL_STREAMS } from '../part.ts';
import type { Scenario } from '../scenario.ts';
import { count } from '../scenario.ts';

const family = 'jobs';

/** Work that takes long, watched or not. */
export const JOBS: readonly Scenario[] = [
  {
    name: 'a job in the background that writes its log',
    family,
    truth: { job: 'useful' },
    play: async ({ play, part, folder }, own) => {
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await play(part(own('job'), { name: 'python train.py', does: 'write', redirect }), { streams: 'null' });
    },
  },
  {
    name: 'jobs in the background that hold their files',
    family,
    truth: { 'job*4': 'useful' },
    play: async ({ play, part, folder }, own) => {
      const names = ['rsync -a src dst', 'ffmpeg -i in out', 'restic backup', 'export-tool --all'];
      const parts = names.map((name, index) =>
        part(own(`job${index + 1}`), {
          name,
          does: 'hold-file',
          redirect: `</dev/null >${folder}/${own('log')}${index} 2>&1`,
        }),
      );
      await play(parts.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a batch in the background that holds a lock',
    family,
    truth: { batch: 'useful' },
    play: async ({ play, part, folder }, own) => {
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await play(part(own('batch'), { name: 'nightly-batch', does: 'lock', redirect }), { streams: 'null' });
    },
  },
  {
    name: 'background jobs of a living shell',
    family,
    truth: { shell: 'useful', 'job*3': 'useful' },
    play: async ({ play, part }, own) => {
      const jobs = count(3).map((index) =>
        part(own(`job${index}`), { name: `long-task-${index}`, redirect: NULL_STREAMS }),
      );
      await play(`${part(own('shell'), { name: 'bash', children: jobs })} wait`);
    },
  },
  {
    name: 'a pipeline of a living shell',
    family,
    truth: { shell: 'useful', 'stage*3': 'useful' },
    play: async ({ play, part, folder }, own) => {
      const fifos = `${folder}/${own('a')} ${folder}/${own('b')}`;
      const stages = [
        part(own('stage1'), { name: 'cat huge', redirect: `>${folder}/${own('a')}` }),
        part(own('stage2'), { name: 'sort', redirect: `<${folder}/${own('a')} >${folder}/${own('b')}` }),
        part(own('stage3'), { name: 'uniq -c', redirect: `<${folder}/${own('b')}` }),
      ];
      await play(`mkfifo ${fifos}\n${part(own('shell'), { name: 'bash', children: stages })} wait`);
    },
  },
  {
    name: 'a pipeline of which nobody reads the end',
    family,
    truth: { 'stage*2': 'abandoned' },
    play: async ({ play, part }, own) => {
      // Both write to what nobody reads any more, and to one another.
      const first = part(own('stage1'), { name: 'node collect.js' }).replace(/&$/u, '');
      const second = part(own('stage2'), { name: 'node format.js' });
      await play(`${first} | ${second}`, { streams: 'severed' });
    },
  },
  {
    name: 'work that goes on writing after whoever started it left',
    family,
    truth: { 'job*2': 'useful' },
    play: async ({ play, part }, own) => {
      const parts = ['python train.py --out model.bin', 'render --out film.mp4'].map((name, index) =>
        part(own(`job${index + 1}`), { name, does: 'write' }),
      );
      await play(parts.join('\n'), { streams: 'severed' });
    },
  },
  {
    name: 'a script in the background with its log in a file, and what it runs',
    family,
    truth: { script: 'useful', tests: 'useful', site: 'useful', tool: 'useful', inside: 'useful' },
    play: async ({ play, part, pidOf, folder }, own) => {
      const tree = `${folder}/${own('tree')}`;
      const children = [
        part(own('tests'), { name: 'node vitest run' }),
        part(own('site'), { name: 'node vite preview', redirect: NULL_STREAMS }),
        part(own('tool'), { name: 'node mcp-server-notes', redirect: '< <(:) > >(:) 2>&1' }),
        part(own('inside'), { name: 'node script.js', folder: tree }),
      ];
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await play(
        `mkdir ${tree}\n${part(own('script'), { name: 'bash ./check-all.sh', children, redirect })}`,
        { streams: 'null' },
      );
      await pidOf(own('inside'));
      await play(`rmdir ${tree}`, { streams: 'severed' });
    },
  },
  {
    name: 'a script in the background without streams, and what it runs',
    family,
    truth: { script: 'useful', tests: 'useful', browser: 'useful' },
    play: async ({ play, part }, own) => {
      const children = [
        part(own('tests'), { name: 'python -m pytest' }),
        part(own('browser'), { name: 'chrome --headless', setsid: true }),
      ];
      await play(part(own('script'), { name: 'python soak.py', children, redirect: NULL_STREAMS }), {
        streams: 'null',
      });
    },
  },
  {
    name: 'a build that works hard under a living shell',
    family,
    busy: true,
    truth: { shell: 'useful', compiler: 'useful' },
    play: async ({ play, part }, own) => {
      const compiler = part(own('compiler'), { name: 'cc1plus -O2', does: 'compile' });
      await play(`${part(own('shell'), { name: 'bash', children: [compiler] })} wait`);
    },
  },
  {
    name: 'jobs whose shell ended, without streams',
    family,
    truth: { 'job*6': 'useful' },
    play: async ({ play, part }, own) => {
      const parts = count(6).map((index) =>
        part(own(`job${index}`), {
          name: `simulate --seed ${index}`,
          does: index % 2 === 0 ? 'tick' : 'sleep',
          redirect: NULL_STREAMS,
        }),
      );
      await play(parts.join('\n'), { streams: 'null' });
    },
  },
];
