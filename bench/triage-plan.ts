import { spawnSync } from 'node:child_process';
import { ROOT } from '../scripts/build-constants.ts';
import { median } from './measure.ts';
import type { Report } from './report.ts';

const PROCESSES = 1000;
const ORPHANS = 10;
const ROUNDS = 9;
const PS = 'ps -eo pid,ppid,stat,time,rss,args';
const PLAN = 'pt agent plan';

/** What a plan over a thousand living processes costs in processor time, against the tool that lists them. */
export function triagePlan(): Promise<readonly Report[]> {
  const { times, alone } = measureCrowd();
  const [ps = [], plan = []] = times;
  const ratio = median(plan.map((time, round) => time / (ps[round] ?? Number.NaN)));
  const where = alone ? 'in a pid namespace of their own' : 'beside whatever else runs here';
  return Promise.resolve([
    {
      title: `Triage of ${PROCESSES} living processes`,
      note: `Processor time, start-up included, as a ratio to \`${PS}\`; ${where}. ${ORPHANS} more are orphans; ${ROUNDS} rounds in turn.`,
      rows: [
        { name: PS, milliseconds: median(ps), ratio: 1 },
        { name: PLAN, milliseconds: median(plan), ratio, target: 3 },
      ],
    },
  ]);
}

/** Measured apart from the rest of the machine where that is allowed: what others do meanwhile is not what is measured. */
function measureCrowd(): { times: number[][]; alone: boolean } {
  const script = new URL('triage-crowd.ts', import.meta.url).pathname;
  const plan = `${ROOT}dist/bin/pt agent plan --window 50ms --format json`;
  const command = [process.execPath, script, String(PROCESSES), String(ORPHANS), String(ROUNDS), PS, plan];
  const apart = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', ...command], { encoding: 'utf8' });
  if (apart.status === 0) return { times: JSON.parse(apart.stdout) as number[][], alone: true };
  const beside = spawnSync(command[0] ?? '', command.slice(1), { encoding: 'utf8' });
  return { times: JSON.parse(beside.stdout) as number[][], alone: false };
}
