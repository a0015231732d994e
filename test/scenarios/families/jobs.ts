import { NULL_STREAMS } from '../process-spec.ts';
import type { Scenario } from '../scenario.ts';
import { count } from '../scenario.ts';

const family = 'jobs';

/** Long-running jobs, in the foreground and background. */
export const JOBS: readonly Scenario[] = [
  {
    name: 'a job in the background that writes its log',
    family,
    truth: { job: 'useful' },
    run: async ({ run, background, folder }, own) => {
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await run(background(own('job'), { name: 'python train.py', does: 'write', redirect }), {
        streams: 'null',
      });
    },
  },
  {
    name: 'jobs in the background with open files',
    family,
    truth: { 'job*4': 'useful' },
    run: async ({ run, background, folder }, own) => {
      const names = ['rsync -a src dst', 'ffmpeg -i in out', 'restic backup', 'export-tool --all'];
      const processes = names.map((name, index) =>
        background(own(`job${index + 1}`), {
          name,
          does: 'hold-file',
          redirect: `</dev/null >${folder}/${own('log')}${index} 2>&1`,
        }),
      );
      await run(processes.join('\n'), { streams: 'null' });
    },
  },
  {
    name: 'a batch in the background with a file lock',
    family,
    truth: { batch: 'useful' },
    run: async ({ run, background, folder }, own) => {
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await run(background(own('batch'), { name: 'nightly-batch', does: 'lock', redirect }), {
        streams: 'null',
      });
    },
  },
  {
    name: 'background jobs of a running shell',
    family,
    truth: { shell: 'useful', 'job*3': 'useful' },
    run: async ({ run, background }, own) => {
      const jobs = count(3).map((index) =>
        background(own(`job${index}`), { name: `long-task-${index}`, redirect: NULL_STREAMS }),
      );
      await run(`${background(own('shell'), { name: 'bash', children: jobs })} wait`);
    },
  },
  {
    name: 'a pipeline of a running shell',
    family,
    truth: { shell: 'useful', 'stage*3': 'useful' },
    run: async ({ run, background, folder }, own) => {
      const fifos = `${folder}/${own('a')} ${folder}/${own('b')}`;
      const stages = [
        background(own('stage1'), { name: 'cat huge', redirect: `>${folder}/${own('a')}` }),
        background(own('stage2'), {
          name: 'sort',
          redirect: `<${folder}/${own('a')} >${folder}/${own('b')}`,
        }),
        background(own('stage3'), { name: 'uniq -c', redirect: `<${folder}/${own('b')}` }),
      ];
      await run(`mkfifo ${fifos}\n${background(own('shell'), { name: 'bash', children: stages })} wait`);
    },
  },
  {
    name: 'a pipeline whose output has no reader',
    family,
    truth: { 'stage*2': 'abandoned' },
    run: async ({ run, background }, own) => {
      // Both write to a pipe without a reader, and are connected with each other.
      const first = background(own('stage1'), { name: 'node collect.js' }).replace(/&$/u, '');
      const second = background(own('stage2'), { name: 'node format.js' });
      await run(`${first} | ${second}`, { streams: 'severed' });
    },
  },
  {
    name: 'a job that keeps writing after its parent exited',
    family,
    truth: { 'job*2': 'useful' },
    run: async ({ run, background }, own) => {
      const processes = ['python train.py --out model.bin', 'render --out film.mp4'].map((name, index) =>
        background(own(`job${index + 1}`), { name, does: 'write' }),
      );
      await run(processes.join('\n'), { streams: 'severed' });
    },
  },
  {
    name: 'a script in the background with a log file, and its children',
    family,
    truth: { script: 'useful', tests: 'useful', site: 'useful', tool: 'useful', inside: 'useful' },
    run: async ({ run, background, pidOf, folder }, own) => {
      const tree = `${folder}/${own('tree')}`;
      const children = [
        background(own('tests'), { name: 'node vitest run' }),
        background(own('site'), { name: 'node vite preview', redirect: NULL_STREAMS }),
        background(own('tool'), { name: 'node mcp-server-notes', redirect: '< <(:) > >(:) 2>&1' }),
        background(own('inside'), { name: 'node script.js', folder: tree }),
      ];
      const redirect = `</dev/null >${folder}/${own('log')} 2>&1`;
      await run(
        `mkdir ${tree}\n${background(own('script'), { name: 'bash ./check-all.sh', children, redirect })}`,
        { streams: 'null' },
      );
      await pidOf(own('inside'));
      await run(`rmdir ${tree}`, { streams: 'severed' });
    },
  },
  {
    name: 'a script in the background without streams, and its children',
    family,
    truth: { script: 'useful', tests: 'useful', browser: 'useful' },
    run: async ({ run, background }, own) => {
      const children = [
        background(own('tests'), { name: 'python -m pytest' }),
        background(own('browser'), { name: 'chrome --headless', setsid: true }),
      ];
      await run(background(own('script'), { name: 'python soak.py', children, redirect: NULL_STREAMS }), {
        streams: 'null',
      });
    },
  },
  {
    name: 'a busy build under a running shell',
    family,
    busy: true,
    truth: { shell: 'useful', compiler: 'useful' },
    run: async ({ run, background }, own) => {
      const compiler = background(own('compiler'), { name: 'cc1plus -O2', does: 'compile' });
      await run(`${background(own('shell'), { name: 'bash', children: [compiler] })} wait`);
    },
  },
  {
    name: 'jobs without streams whose shell exited',
    family,
    truth: { 'job*6': 'useful' },
    run: async ({ run, background }, own) => {
      const processes = count(6).map((index) =>
        background(own(`job${index}`), {
          name: `simulate --seed ${index}`,
          does: index % 2 === 0 ? 'tick' : 'sleep',
          redirect: NULL_STREAMS,
        }),
      );
      await run(processes.join('\n'), { streams: 'null' });
    },
  },
];
