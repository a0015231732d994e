import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/build-constants.ts';
import type { Report } from './report.ts';
import { median } from './measure.ts';

const PROCESSES = 1000;
const ORPHANS = 10;
const ROUNDS = 9;
const PS = 'ps -eo pid,ppid,stat,time,rss,args';
const PLAN = 'pt agent plan';

/** What a plan over a thousand living processes costs in processor time, against the tool that lists them. */
export async function triagePlan(): Promise<readonly Report[]> {
  const home = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  const crowd = Array.from({ length: PROCESSES }, () => spawn('sleep', ['100000'], { stdio: 'ignore' }));
  const orphans = await startOrphans();
  try {
    const commands = { [PS]: PS, [PLAN]: `${ROOT}dist/standalone/pt agent plan --window 50ms --format json` };
    const times: Record<string, number[]> = { [PS]: [], [PLAN]: [] };
    // In turn, so that whatever slows the machine down for a while slows both; the first round does not count.
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [name, command] of Object.entries(commands)) {
        const milliseconds = processorTime(command, home);
        if (round >= 0) times[name]?.push(milliseconds);
      }
    }
    const ratio = median((times[PLAN] ?? []).map((time, round) => time / (times[PS]?.[round] ?? Number.NaN)));
    return [
      {
        title: `Triage of ${PROCESSES} living processes, standalone`,
        note: `Processor time, start-up included, as a ratio to \`${PS}\`. ${ORPHANS} of them are orphans; ${ROUNDS} rounds in turn.`,
        rows: [
          { name: PS, milliseconds: median(times[PS] ?? []), ratio: 1 },
          { name: PLAN, milliseconds: median(times[PLAN] ?? []), ratio, target: 3 },
        ],
      },
    ];
  } finally {
    for (const child of crowd) child.kill('SIGKILL');
    for (const pid of orphans) process.kill(pid, 'SIGKILL');
    rmSync(home, { recursive: true });
  }
}

/** Starts processes whose parent and whose readers are gone. */
async function startOrphans(): Promise<number[]> {
  const script = `for i in $(seq ${ORPHANS}); do (exec -a "node mcp-server-$i" sleep 100000) & echo $!; done`;
  const parent: ChildProcess = spawn('bash', ['-c', script], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let text = '';
  parent.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(parent, 'exit');
  while (text.split('\n').length <= ORPHANS) await once(parent.stdout ?? parent, 'data');
  parent.stdin?.destroy();
  parent.stdout?.destroy();
  return text.trim().split('\n').map(Number);
}

/** User and system time of a command, as the shell accounts for its children. */
function processorTime(command: string, home: string): number {
  const { stdout } = spawnSync('bash', ['-c', `${command} > /dev/null; times`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home },
  });
  const [, children = ''] = stdout.trim().split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/gu)].reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000,
    0,
  );
}
