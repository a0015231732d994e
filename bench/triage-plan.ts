import { spawnSync } from 'node:child_process';
import { ROOT } from '../scripts/build-constants.ts';
import { median } from './measure.ts';
import type { Report } from './report.ts';

const PROCESSES = 1000;
const ORPHANS = 10;
const ROUNDS = 9;
const PS = 'ps -eo pid,ppid,stat,time,rss,args';
const PLAN = 'pt agent plan';

/** Measures the CPU time of a plan for a thousand processes, relative to ps. */
export function triagePlan(): Promise<readonly Report[]> {
  const { times, separated } = measureCrowd();
  const [ps = [], plan = []] = times;
  const ratio = median(plan.map((time, round) => time / (ps[round] ?? Number.NaN)));
  const where = separated
    ? 'in a separate pid namespace'
    : 'together with the other processes of the machine';
  return Promise.resolve([
    {
      title: `Triage of ${PROCESSES} processes`,
      note: `CPU time including start-up, as a ratio to \`${PS}\`; ${where}, plus ${ORPHANS} orphans; ${ROUNDS} alternating rounds.`,
      rows: [
        { name: PS, milliseconds: median(ps), ratio: 1 },
        { name: PLAN, milliseconds: median(plan), ratio, target: 3 },
      ],
    },
  ]);
}

/** Measures in a separate pid namespace where possible, to exclude the other processes of the machine. */
function measureCrowd(): { times: number[][]; separated: boolean } {
  const script = new URL('triage-crowd.ts', import.meta.url).pathname;
  const plan = `${ROOT}dist/bin/pt agent plan --window 50ms --format json`;
  const command = [process.execPath, script, String(PROCESSES), String(ORPHANS), String(ROUNDS), PS, plan];
  const separate = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', ...command], {
    encoding: 'utf8',
  });
  if (separate.status === 0) return { times: JSON.parse(separate.stdout) as number[][], separated: true };
  const shared = spawnSync(command[0] ?? '', command.slice(1), { encoding: 'utf8' });
  return { times: JSON.parse(shared.stdout) as number[][], separated: false };
}
