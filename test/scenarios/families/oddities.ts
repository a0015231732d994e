import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../part.ts';
import { count } from '../scenario.ts';

const family = 'oddities';
const NOBODY = 65_534;

/** Names and places that mislead. */
export const ODDITIES: readonly Scenario[] = [
  {
    name: "another user's process",
    family,
    needs: 'root',
    truth: { other: 'useful' },
    play: async ({ play, part }, own) => {
      await play(`${part(own('other'), { name: 'their-program' })} wait`, { uid: NOBODY });
    },
  },
  {
    name: 'names with control characters, JSON and parentheses',
    family,
    truth: { shell: 'useful', 'odd*4': 'useful' },
    play: async ({ play, part }, own) => {
      const names = ['a) R 1 (b', '\u001B[31mred\u001B[0m', '"}],"pid":1,"x":[{"', 'kill -9 me\n0 S root'];
      const odd = names.map((name, index) => part(own(`odd${index + 1}`), { name }));
      await play(`${part(own('shell'), { name: 'bash', children: odd })} wait`);
    },
  },
  {
    name: 'a command line of a megabyte',
    family,
    truth: { shell: 'useful', long: 'useful' },
    play: async ({ play, part }, own) => {
      const many = part(own('long'), { name: 'long' }).replace(
        'sleep 100000',
        'sleep 100000 $(printf "%0120000d " 0 0 0 0 0 0 0 0)',
      );
      await play(`${part(own('shell'), { name: 'bash', children: [many] })} wait`);
    },
  },
  {
    name: 'a deleted folder under a living parent',
    family,
    truth: { shell: 'useful', inside: 'useful' },
    play: async ({ play, part, pidOf, folder }, own) => {
      const tree = `${folder}/${own('tree')}`;
      const inside = part(own('inside'), { name: 'node script.js', folder: tree });
      await play(`mkdir ${tree}\n${part(own('shell'), { name: 'bash', children: [inside] })} wait`);
      await pidOf(own('inside'));
      await play(`rmdir ${tree}`, { streams: 'severed' });
    },
  },
  {
    name: 'a program that only sounds like a tool server',
    family,
    truth: { shell: 'useful', reader: 'useful' },
    play: async ({ play, part }, own) => {
      const reader = part(own('reader'), { name: 'less mcp-server-notes.md' });
      await play(`${part(own('shell'), { name: 'bash', children: [reader] })} wait`);
    },
  },
];

/** Plenty of ordinary life: what must be left alone, in numbers that give the count of false kills a meaning. */
export const BYSTANDERS: readonly Scenario[] = [
  bystanders('children of a living parent', 60, { redirect: '' }),
  bystanders('children of a living parent without streams', 60, { redirect: NULL_STREAMS }),
  bystanders('children in sessions of their own', 40, { redirect: '', setsid: true }),
  bystanders('children that stir now and then', 20, { redirect: '', does: 'tick' }),
  {
    name: 'daemons of every kind',
    family: 'bystanders',
    truth: { 'daemon*40': 'useful' },
    play: async ({ play, part, folder }, own) => {
      const parts = count(40).map((index) =>
        part(own(`daemon${index}`), {
          name: `serviced-${index}`,
          setsid: true,
          redirect: index % 2 === 0 ? NULL_STREAMS : `</dev/null >${folder}/${own('log')}${index} 2>&1`,
          ...(index % 3 === 0 ? { folder: '/' } : {}),
        }),
      );
      await play(parts.join('\n'), { streams: 'null' });
    },
  },
];

function bystanders(
  name: string,
  times: number,
  options: { redirect: string; setsid?: true; does?: 'tick' },
): Scenario {
  return {
    name,
    family: 'bystanders',
    truth: { parent: 'useful', [`child*${times}`]: 'useful' },
    play: async ({ play, part }, own) => {
      const children = count(times).map((index) =>
        part(own(`child${index}`), { name: `worker ${index}`, ...options }),
      );
      await play(`${part(own('parent'), { name: 'bash make-all.sh', children })} wait`);
    },
  };
}
