import { indexProcesses, type ProcessIndex, type ReaperNames } from '../features/process-index.ts';
import type { ProcReader } from './proc-reader.ts';
import { parseStat, type Stat } from './stat.ts';

export interface SampledProcess extends Stat {
  readonly pid: number;
}

/** The cheap facts of all processes: one file each. */
export interface Sample {
  readonly processes: readonly SampledProcess[];
  readonly index: ProcessIndex<SampledProcess>;
  readonly vanished: number;
}

export function sampleProcesses(
  reader: ProcReader,
  names: ReaperNames,
  hidden: boolean,
  observerPid: number,
): Sample {
  const processes: SampledProcess[] = [];
  let vanished = 0;
  for (const name of reader.list('.') ?? []) {
    const first = name.charCodeAt(0);
    if (first < 49 || first > 57) continue;
    const pid = Number(name);
    if (!Number.isSafeInteger(pid)) continue;
    const stat = parseStat(reader.head(`${name}/stat`) ?? '');
    if (stat === undefined) vanished += 1;
    else processes.push(Object.assign(stat, { pid }));
  }
  processes.sort((left, right) => left.pid - right.pid);
  return { processes, index: indexProcesses(processes, names, hidden, observerPid), vanished };
}
