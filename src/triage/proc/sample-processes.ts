import { indexProcesses, type ProcessIndex, type ReaperNames } from '../features/process-index.ts';
import type { ProcReader } from './proc-reader.ts';
import { parseStat, type Stat } from './stat.ts';

export interface SampledProcess extends Stat {
  readonly pid: number;
}

/** The cheap facts of all processes: one file each. */
export interface Sample {
  readonly processes: readonly SampledProcess[];
  /** The line that each process was parsed from. */
  readonly lines: ReadonlyMap<number, string>;
  readonly index: ProcessIndex<SampledProcess>;
  readonly vanished: number;
}

export function sampleProcesses(
  reader: ProcReader,
  names: ReaperNames,
  hidden: boolean,
  observerPid: number,
  /** The sample before this one. The line of an idle process is still the same, and is not parsed again. */
  earlier?: Sample,
): Sample {
  const processes: SampledProcess[] = [];
  const lines = new Map<number, string>();
  let vanished = 0;
  for (const name of reader.list('.') ?? []) {
    const first = name.charCodeAt(0);
    if (first < 49 || first > 57) continue;
    const pid = Number(name);
    if (!Number.isSafeInteger(pid)) continue;
    const line = reader.head(`${name}/stat`) ?? '';
    const known = earlier?.lines.get(pid) === line ? earlier.index.get(pid) : parseProcess(pid, line);
    if (known === undefined) vanished += 1;
    else {
      processes.push(known);
      lines.set(pid, line);
    }
  }
  processes.sort((left, right) => left.pid - right.pid);
  return { processes, lines, index: indexProcesses(processes, names, hidden, observerPid), vanished };
}

function parseProcess(pid: number, line: string): SampledProcess | undefined {
  const stat = parseStat(line);
  return stat && { pid, ...stat };
}
