/** Starts many processes, measures the commands alternately, and prints their CPU times. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , processes = '', orphanCount = '', rounds = '', ...commands] = process.argv;
const ORPHANS = Number(orphanCount);

const home = mkdtempSync(join(tmpdir(), 'deed-bench-'));
const crowd = Array.from({ length: Number(processes) }, () =>
  spawn('sleep', ['100000'], { stdio: 'ignore' }),
);
const orphans = await startOrphans();
const times = commands.map((): number[] => []);
// Alternately, so that other load on the machine affects both; the first round is a warm-up.
for (let round = -1; round < Number(rounds); round += 1) {
  for (const [index, command] of commands.entries()) {
    const milliseconds = cpuTime(command, home);
    if (round >= 0) times[index]?.push(milliseconds);
  }
}
for (const child of crowd) child.kill('SIGKILL');
for (const pid of orphans) process.kill(pid, 'SIGKILL');
rmSync(home, { recursive: true });
console.log(JSON.stringify(times));

/** Starts orphans with disconnected streams. */
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

/** Returns the user and system time of a command, as reported by the shell. */
function cpuTime(command: string, home: string): number {
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
