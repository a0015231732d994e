import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../process-spec.ts';
import { count } from '../scenario.ts';

const family = 'edge-cases';
const OTHER_UID = 65_534;

/** Misleading names and folders. */
export const EDGE_CASES: readonly Scenario[] = [
  {
    name: "another user's process",
    family,
    needs: 'root',
    truth: { other: 'useful' },
    run: async ({ run, background }, own) => {
      await run(`${background(own('other'), { name: 'their-program' })} wait`, { uid: OTHER_UID });
    },
  },
  {
    name: 'names with control characters, JSON and parentheses',
    family,
    truth: { shell: 'useful', 'odd*4': 'useful' },
    run: async ({ run, background }, own) => {
      const names = ['a) R 1 (b', '\u001B[31mred\u001B[0m', '"}],"pid":1,"x":[{"', 'kill -9 me\n0 S root'];
      const odd = names.map((name, index) => background(own(`odd${index + 1}`), { name }));
      await run(`${background(own('shell'), { name: 'bash', children: odd })} wait`);
    },
  },
  {
    name: 'a command line of a megabyte',
    family,
    truth: { shell: 'useful', long: 'useful' },
    run: async ({ run, background }, own) => {
      const many = background(own('long'), { name: 'long' }).replace(
        'sleep 100000',
        'sleep 100000 $(printf "%0120000d " 0 0 0 0 0 0 0 0)',
      );
      await run(`${background(own('shell'), { name: 'bash', children: [many] })} wait`);
    },
  },
  {
    name: 'a deleted folder under a running parent',
    family,
    truth: { shell: 'useful', inside: 'useful' },
    run: async ({ run, background, pidOf, folder }, own) => {
      const tree = `${folder}/${own('tree')}`;
      const inside = background(own('inside'), { name: 'node script.js', folder: tree });
      await run(`mkdir ${tree}\n${background(own('shell'), { name: 'bash', children: [inside] })} wait`);
      await pidOf(own('inside'));
      await run(`rmdir ${tree}`, { streams: 'severed' });
    },
  },
  {
    name: 'a program that is only named like a tool server',
    family,
    truth: { shell: 'useful', reader: 'useful' },
    run: async ({ run, background }, own) => {
      const reader = background(own('reader'), { name: 'less mcp-server-notes.md' });
      await run(`${background(own('shell'), { name: 'bash', children: [reader] })} wait`);
    },
  },
];

/** Many ordinary processes, so that the rate of false kills is meaningful. */
export const BYSTANDERS: readonly Scenario[] = [
  bystanders('children of a living parent', 60, { redirect: '' }),
  bystanders('children of a living parent without streams', 60, { redirect: NULL_STREAMS }),
  bystanders('children in separate sessions', 40, { redirect: '', setsid: true }),
  bystanders('children that stir now and then', 20, { redirect: '', does: 'tick' }),
  {
    name: 'daemons of every kind',
    family: 'bystanders',
    truth: { 'daemon*40': 'useful' },
    run: async ({ run, background, folder }, own) => {
      const processes = count(40).map((index) =>
        background(own(`daemon${index}`), {
          name: `serviced-${index}`,
          setsid: true,
          redirect: index % 2 === 0 ? NULL_STREAMS : `</dev/null >${folder}/${own('log')}${index} 2>&1`,
          ...(index % 3 === 0 ? { folder: '/' } : {}),
        }),
      );
      await run(processes.join('\n'), { streams: 'null' });
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
    run: async ({ run, background }, own) => {
      const children = count(times).map((index) =>
        background(own(`child${index}`), { name: `worker ${index}`, ...options }),
      );
      await run(`${background(own('parent'), { name: 'bash make-all.sh', children })} wait`);
    },
  };
}
