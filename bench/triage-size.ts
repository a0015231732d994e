import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeProcRoot, type ProcEntry } from '../test/fixtures/proc-root.ts';
import { median } from './measure.ts';
import type { Report } from './report.ts';

const SMALL = 5000;
const LARGE = 20_000;
const MEMORY_MB = 200;
const ROUNDS = 5;

interface Run {
  readonly milliseconds: number;
  readonly peakMb: number;
}

/** Measures whether the cost per process is independent of the number of processes, and the peak memory. */
export async function triageSize(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  try {
    for (const size of [SMALL, LARGE]) writeProcRoot(join(folder, String(size)), makeProcesses(size));
    const runs = new Map<number, Run[]>([
      [SMALL, []],
      [LARGE, []],
    ]);
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [size, list] of runs) {
        const run = assessRoot(join(folder, String(size)));
        if (round >= 0) list.push(run);
      }
    }
    const time = (size: number): number =>
      median((runs.get(size) ?? []).map(({ milliseconds }) => milliseconds));
    const growth = median(
      (runs.get(LARGE) ?? []).map(
        ({ milliseconds }, round) =>
          milliseconds / LARGE / ((runs.get(SMALL)?.[round]?.milliseconds ?? Number.NaN) / SMALL),
      ),
    );
    const peak = median((runs.get(LARGE) ?? []).map(({ peakMb }) => peakMb));
    return Promise.resolve([
      {
        title: 'Triage of a proc root, by size',
        note: `CPU time of collecting and assessing, each run in a new process; the ratio is the cost per process relative to ${SMALL}.`,
        rows: [
          { name: `${SMALL} processes`, milliseconds: time(SMALL), ratio: 1 },
          { name: `${LARGE} processes`, milliseconds: time(LARGE), ratio: growth, target: 1.2 },
        ],
      },
      {
        title: `Triage of ${LARGE} processes, memory`,
        note: `Peak resident memory as a share of ${MEMORY_MB} MB; the middle column is megabytes.`,
        rows: [{ name: 'peak', milliseconds: peak, ratio: peak / MEMORY_MB, target: 1 }],
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function assessRoot(root: string): Run {
  const script = new URL('triage-assess-root.ts', import.meta.url).pathname;
  return JSON.parse(execFileSync(process.execPath, [script, root], { encoding: 'utf8' })) as Run;
}

/** Generates a large machine: sessions of ten processes each, and one in a hundred an orphan. */
function* makeProcesses(size: number): Generator<ProcEntry> {
  const uid = process.getuid?.() ?? 0;
  yield { pid: 1, ppid: 0, session: 1, comm: 'systemd' };
  yield { pid: 2, session: 2, comm: 'sshd' };
  for (let pid = 3; pid < size; pid += 1) {
    const isOrphan = pid % 100 === 0;
    const leader = pid - (pid % 10) + 3;
    yield {
      pid,
      ppid: isOrphan ? 1 : pid === leader ? 2 : leader < pid ? leader : 2,
      session: isOrphan ? size + pid : leader <= pid ? leader : 2,
      comm: isOrphan ? 'node' : 'worker',
      uid,
      startTicks: pid,
      cmdline: isOrphan ? ['node', `/opt/mcp-server-${pid}`] : ['worker', String(pid)],
      ...(isOrphan
        ? { cwd: '/srv', fd: { 0: `pipe:[${pid}]`, 1: `pipe:[${pid + size}]`, 2: '/dev/null' } }
        : {}),
    };
  }
}
