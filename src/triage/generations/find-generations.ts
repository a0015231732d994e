import type { Superseded } from '../assessment.ts';
import { hasEnded, type ProcessIndex } from '../features/process-index.ts';
import type { FindKind, Kind } from '../kinds/find-kind.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';

export type Generation = Superseded;

export interface GenerationContext {
  readonly snapshot: ProcessSnapshot;
  readonly index: ProcessIndex<ProcessFacts>;
  readonly parameters: Pick<Parameters, 'generations'>;
  readonly exemptionOf: (process: ProcessFacts) => unknown;
}

/** Kinds with one instance for each conversation or project. Pools of workers have many instances on purpose. */
const SINGLE: ReadonlySet<string> = new Set(['tool_server', 'language_server']);
const MEGABYTE = 1024 * 1024;

export function isSingleKind(kind: Kind | undefined): boolean {
  return SINGLE.has(kind?.name ?? '');
}

/**
 * Finds the superseded instances of tool and language servers: a running parent has started the same command again since. Agents that
 * start their servers again for every conversation and keep the old ones leave hundreds of them. Returns a group by pid.
 */
export function findGenerations(
  context: GenerationContext,
  findKind: FindKind,
): ReadonlyMap<number, Generation> {
  const { snapshot, index, parameters } = context;
  const groups = Map.groupBy(
    snapshot.processes.filter(
      (process) =>
        process.command !== null &&
        process.ppid > 1 &&
        !hasEnded(process) &&
        index.topOf(process) === undefined &&
        isSingleKind(findKind(process.command, process.comm)) &&
        context.exemptionOf(process) === null,
    ),
    ({ ppid, command }) => `${ppid} ${command?.join('\0')}`,
  );
  const found = new Map<number, Generation>();
  for (const group of groups.values()) {
    const older = supersededOf(group, snapshot, parameters.generations);
    const [newest, first] = [older.newest, older.members[0]];
    if (newest === undefined || first === undefined) continue;
    const memory = older.members
      .flatMap((member) => [member, ...index.descendantsOf(member.pid)])
      .reduce((sum, { rssBytes }) => sum + rssBytes, 0);
    const generation = {
      parent: first.ppid,
      newest: newest.pid,
      instances: older.members.length,
      memory_mb: Math.round((memory / MEGABYTE) * 10) / 10,
    };
    for (const { pid } of older.members) found.set(pid, generation);
  }
  return found;
}

/** Instances that were started together with the newest belong to it, unless there are more than one program needs. */
function supersededOf(
  group: readonly ProcessFacts[],
  { ticksPerSecond }: ProcessSnapshot,
  { minimumInstances, minimumApartSeconds, crowd }: Parameters['generations'],
): { readonly newest: ProcessFacts | undefined; readonly members: readonly ProcessFacts[] } {
  if (group.length < minimumInstances) return { newest: undefined, members: [] };
  const newest = group.reduce((latest, member) => (member.startTicks > latest.startTicks ? member : latest));
  const apart = group.length >= crowd ? 0 : minimumApartSeconds * ticksPerSecond;
  const members = group.filter(
    (member) => member !== newest && newest.startTicks - member.startTicks >= apart,
  );
  return { newest, members };
}
