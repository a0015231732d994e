import { writeFileSync } from 'node:fs';
import type { Scenario } from '../scenario.ts';
import { count } from '../scenario.ts';
import type { Stage } from '../stage.ts';

/** What has ended and was not collected, and what burns a processor for somebody. */
export const ENDED: readonly Scenario[] = [
  {
    name: 'a zombie under a living parent',
    family: 'zombies',
    truth: { parent: 'useful', zombie: 'zombie' },
    play: async (stage, own) => {
      const parent = stage.part(own('parent'), { name: 'forgetful' });
      await stage.play(`${collectsNobody(stage, own, ['zombie'], parent)} wait`);
      await endChildren(stage, own);
    },
  },
  {
    name: 'many zombies under one parent',
    family: 'zombies',
    truth: { 'zombie*20': 'zombie' },
    play: async (stage, own) => {
      const labels = count(20).map((index) => `zombie${index}`);
      const parent = stage.part(own('parent'), { name: 'node leaky.js' });
      await stage.play(`${collectsNobody(stage, own, labels, parent)} wait`);
      await endChildren(stage, own);
    },
  },
  {
    name: 'a zombie whose parent was abandoned',
    family: 'zombies',
    truth: { parent: 'abandoned', zombie: 'zombie' },
    play: async (stage, own) => {
      const parent = stage.part(own('parent'), { name: 'node mcp-server-old' });
      await stage.play(collectsNobody(stage, own, ['zombie'], parent), { streams: 'severed' });
      await endChildren(stage, own);
    },
  },
  {
    name: 'a program that spins under a living shell',
    family: 'misbehaving',
    busy: true,
    truth: { shell: 'useful', spinner: 'useful_bad' },
    play: async ({ play, part }, own) => {
      const spinner = part(own('spinner'), { name: 'node watch.js', does: 'spin' });
      await play(`${part(own('shell'), { name: 'bash', children: [spinner] })} wait`);
    },
  },
  {
    name: 'a development server that spins under a living agent',
    family: 'misbehaving',
    busy: true,
    truth: { agent: 'useful', server: 'useful_bad' },
    play: async ({ play, part }, own) => {
      const server = part(own('server'), { name: 'node next dev', does: 'spin' });
      await play(`${part(own('agent'), { name: 'claude', children: [server] })} wait`);
    },
  },
  {
    name: 'a stopped process whose owner died',
    family: 'stopped',
    truth: { server: 'abandoned' },
    play: async ({ play, part, pidOf }, own) => {
      await play(part(own('server'), { name: 'node mcp-server-paused' }), { streams: 'severed' });
      process.kill(await pidOf(own('server')), 'SIGSTOP');
    },
  },
  {
    name: 'a job that somebody stopped to go on with later',
    family: 'stopped',
    truth: { shell: 'useful', job: 'useful' },
    play: async ({ play, part, pidOf }, own) => {
      const job = part(own('job'), { name: 'render --frames 1000' });
      await play(`${part(own('shell'), { name: 'bash', children: [job] })} wait`);
      process.kill(await pidOf(own('job')), 'SIGSTOP');
    },
  },
];

/** Starts children that wait for a word to end, inside a process that becomes one which never asks for them. */
function collectsNobody(
  { folder }: Stage,
  own: (label: string) => string,
  labels: readonly string[],
  parent: string,
): string {
  const wait = `( until [ -e ${folder}/${own('end')} ]; do sleep 0.05; done )`;
  const children = labels.map((label) => `${wait} & echo $! > ${folder}/${own(label)}`).join('; ');
  return parent.replace('( ', `( ${children}; `);
}

/** Lets them end, once their parent has become what it plays: a shell would collect them. */
async function endChildren({ folder, pidOf }: Stage, own: (label: string) => string): Promise<void> {
  await pidOf(own('parent'));
  writeFileSync(`${folder}/${own('end')}`, '');
}
