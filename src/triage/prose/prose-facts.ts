import type { Assessment, Judgement } from '../assessment.ts';
import { describeFacts } from '../decision/rationale.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';

/** The facts of a prose summary. */
export interface ProseFacts {
  readonly host: string;
  readonly scanned: number;
  readonly assessed: number;
  readonly availableGb: string;
  readonly totalGb: string;
  readonly lowMemory: boolean;
  readonly kills: readonly Assessment[];
  readonly reviews: readonly Assessment[];
  readonly others: readonly Assessment[];
  readonly zombies: number;
  readonly freed: string;
  /** Reasons for the kills with their counts, most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly signatures: readonly string[];
  readonly notes: readonly string[];
  readonly parametersVersion: string;
  readonly alpha: number;
  readonly rejections: number;
}

const GIGABYTE = 1024 ** 3;
/** Memory counts as low below this share. */
const LOW_MEMORY_SHARE = 0.15;

export function collectProseFacts(judgement: Judgement, snapshot: ProcessSnapshot): ProseFacts {
  const by = (...actions: string[]): Assessment[] =>
    judgement.assessments.filter(({ recommended_action }) => actions.includes(recommended_action));
  const kills = by('kill');
  const { totalBytes, availableBytes } = snapshot.memory;
  return {
    host: snapshot.host,
    scanned: judgement.scanned,
    assessed: judgement.assessments.length,
    availableGb: (availableBytes / GIGABYTE).toFixed(1),
    totalGb: (totalBytes / GIGABYTE).toFixed(1),
    lowMemory: totalBytes > 0 && availableBytes / totalBytes < LOW_MEMORY_SHARE,
    kills,
    reviews: by('review'),
    others: by('pause', 'throttle', 'restart'),
    zombies: judgement.assessments.filter(({ classification }) => classification === 'zombie').length,
    freed: megabytes(distinctMemory(kills)),
    reasons: countReasons(kills),
    signatures: [...new Set(kills.flatMap(({ matched_signature }) => matched_signature ?? []))].sort(),
    notes: snapshot.visibility.notes,
    parametersVersion: judgement.parametersVersion,
    alpha: judgement.eBh.alpha,
    rejections: judgement.eBh.rejections,
  };
}

/** Sums the memory of the trees without counting a child twice. */
function distinctMemory(kills: readonly Assessment[]): number {
  const below = new Set(
    kills.flatMap(({ pid, tree }) => tree.map((member) => member.pid).filter((member) => member !== pid)),
  );
  return kills
    .filter(({ pid }) => !below.has(pid))
    .reduce((sum, { blast_radius }) => sum + blast_radius.memory_mb, 0);
}

function countReasons(kills: readonly Assessment[]): ProseFacts['reasons'] {
  const counts = new Map<string, number>();
  for (const { observation } of kills) {
    for (const reason of describeFacts({ ...observation, signature: null }))
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

export function megabytes(value: number): string {
  return value >= 1024 ? `${(value / 1024).toFixed(1)} GB` : `${Math.round(value)} MB`;
}

export function plural(
  count: number,
  one: string,
  many = `${one}${/(?:s|x|ch)$/u.test(one) ? 'es' : 's'}`,
): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function nameProcess({ pid, cmd_short }: Pick<Assessment, 'pid' | 'cmd_short'>): string {
  return `${cmd_short} (${pid})`;
}
