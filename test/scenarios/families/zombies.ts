import { writeFileSync } from 'node:fs';
import type { Scenario } from '../scenario.ts';
import { count } from '../scenario.ts';
import type { ScenarioHost } from '../scenario-host.ts';

/** Zombies, spinning processes and stopped processes. */
export const ZOMBIES: readonly Scenario[] = [
  {
    name: 'a zombie under a running parent',
    family: 'zombies',
    truth: { parent: 'useful', zombie: 'zombie' },
    run: async (host, own) => {
      const parent = host.background(own('parent'), { name: 'forgetful' });
      await host.run(`${withUnreapedChildren(host, own, ['zombie'], parent)} wait`);
      await endChildren(host, own);
    },
  },
  {
    name: 'many zombies under one parent',
    family: 'zombies',
    truth: { 'zombie*20': 'zombie' },
    run: async (host, own) => {
      const labels = count(20).map((index) => `zombie${index}`);
      const parent = host.background(own('parent'), { name: 'node leaky.js' });
      await host.run(`${withUnreapedChildren(host, own, labels, parent)} wait`);
      await endChildren(host, own);
    },
  },
  {
    name: 'a zombie whose parent was abandoned',
    family: 'zombies',
    truth: { parent: 'abandoned', zombie: 'zombie' },
    run: async (host, own) => {
      const parent = host.background(own('parent'), { name: 'node mcp-server-old' });
      await host.run(withUnreapedChildren(host, own, ['zombie'], parent), { streams: 'severed' });
      await endChildren(host, own);
    },
  },
  {
    name: 'a program that spins under a running shell',
    family: 'misbehaving',
    busy: true,
    truth: { shell: 'useful', spinner: 'useful_bad' },
    run: async ({ run, background }, own) => {
      const spinner = background(own('spinner'), { name: 'node watch.js', does: 'spin' });
      await run(`${background(own('shell'), { name: 'bash', children: [spinner] })} wait`);
    },
  },
  {
    name: 'a development server that spins under a running agent',
    family: 'misbehaving',
    busy: true,
    truth: { agent: 'useful', server: 'useful_bad' },
    run: async ({ run, background }, own) => {
      const server = background(own('server'), { name: 'node next dev', does: 'spin' });
      await run(`${background(own('agent'), { name: 'claude', children: [server] })} wait`);
    },
  },
  {
    name: 'a stopped process whose owner exited',
    family: 'stopped',
    truth: { server: 'abandoned' },
    run: async ({ run, background, pidOf }, own) => {
      await run(background(own('server'), { name: 'node mcp-server-paused' }), { streams: 'severed' });
      process.kill(await pidOf(own('server')), 'SIGSTOP');
    },
  },
  {
    name: 'a job that a user stopped to resume later',
    family: 'stopped',
    truth: { shell: 'useful', job: 'useful' },
    run: async ({ run, background, pidOf }, own) => {
      const job = background(own('job'), { name: 'render --frames 1000' });
      await run(`${background(own('shell'), { name: 'bash', children: [job] })} wait`);
      process.kill(await pidOf(own('job')), 'SIGSTOP');
    },
  },
];

/** Starts children that exit on request, in a process that then runs a program that never reaps them. */
function withUnreapedChildren(
  { folder }: ScenarioHost,
  own: (label: string) => string,
  labels: readonly string[],
  parent: string,
): string {
  const wait = `( until [ -e ${folder}/${own('end')} ]; do sleep 0.05; done )`;
  const children = labels.map((label) => `${wait} & echo $! > ${folder}/${own(label)}`).join('; ');
  return parent.replace('( ', `( ${children}; `);
}

/** Makes the children exit after their parent runs its program: a shell would reap them. */
async function endChildren({ folder, pidOf }: ScenarioHost, own: (label: string) => string): Promise<void> {
  await pidOf(own('parent'));
  writeFileSync(`${folder}/${own('end')}`, '');
}
