import type { ProcessClass } from '../assessment.ts';
import type { Observation } from '../features/observation.ts';
import type { Parameters } from '../parameters/model-parameters.ts';

export type Block = 'lifeline' | 'signature' | 'activity' | 'loss_age' | 'network' | 'writes';
export const BLOCKS: readonly Block[] = [
  'lifeline',
  'signature',
  'activity',
  'loss_age',
  'network',
  'writes',
];

export type LivingClass = Exclude<ProcessClass, 'zombie'>;
export const LIVING: readonly LivingClass[] = ['useful', 'useful_bad', 'abandoned'];

/** Returns the cell of a block for an observation; undefined when it was not observed and therefore adds no evidence. */
export function cellOf(block: Block, seen: Observation): string | undefined {
  const side = seen.lost ? 'lost' : 'whole';
  switch (block) {
    case 'lifeline':
      return `${seen.anchor}/${seen.streams}/${seen.cwdDeleted ? 'deleted' : 'present'}`;
    case 'signature':
      // A process under an orphaned ancestor takes the kind of that ancestor.
      return `${side}/${seen.stem?.kind ?? seen.kind}`;
    case 'activity':
      return seen.activity;
    case 'loss_age':
      return seen.lossAge === 'whole' ? undefined : seen.lossAge;
    case 'network':
      return seen.network === 'unknown' ? undefined : seen.network;
    case 'writes':
      return seen.writes === 'unknown' ? undefined : seen.writes;
  }
}

/** Returns the configured base probability of a cell for a class. */
export function baseOf(block: Block, cell: string, className: LivingClass, { tables }: Parameters): number {
  const [first = '', second = '', third = ''] = cell.split('/');
  switch (block) {
    case 'lifeline': {
      const side = isLost(first) ? 'lost' : 'whole';
      const anchor = share(tables.anchor.base[className], first);
      const streams = second === 'unknown' ? 1 : share(tables.streams[streamSide(first)][className], second);
      return anchor * streams * share(tables.cwd[side][className], third);
    }
    case 'signature':
      return share(tables.signature[first === 'lost' ? 'lost' : 'whole'][className], second);
    case 'activity':
    case 'loss_age':
    case 'network':
    case 'writes':
      return share(tables[block].base[className], cell);
  }
}

const LOST_ANCHORS: ReadonlySet<string> = new Set([
  'session',
  'daemon',
  'orphan',
  'ended_run',
  'ended_agent',
]);
/** Agents often start tools without streams, so for processes of known runs and agents streams are weaker evidence. */
export const streamSide = (anchor: string): 'whole' | 'lost' | 'marked' =>
  anchor === 'ended_run' || anchor === 'ended_agent' ? 'marked' : isLost(anchor) ? 'lost' : 'whole';

const isLost = (anchor: string): boolean => LOST_ANCHORS.has(anchor);

/** Returns the share of a cell in a row. A cell missing in an override, such as a new kind of signature, gets the share of `unknown`. */
function share(row: Readonly<Record<string, number>>, cell: string): number {
  const total = Object.values(row).reduce((sum, value) => sum + value, 0);
  return (row[cell] ?? row['unknown'] ?? Math.min(...Object.values(row))) / total;
}
