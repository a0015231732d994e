import { statSync } from 'node:fs';
import { hasState, listOpen, openRunPath, unmarkOpen } from '../run/open-runs.ts';

/** A process that is about to start a run takes less. */
const STARTING_MS = 86_400_000;

/** Removes the marks of runs whose process was killed before it wrote anything else. */
export function forgetUnstarted(home: string, nowMs: number): void {
  for (const id of listOpen(home)) {
    const stats = statSync(openRunPath(home, id), { throwIfNoEntry: false });
    if (stats !== undefined && nowMs - stats.mtimeMs > STARTING_MS && !hasState(home, id))
      unmarkOpen(home, id);
  }
}
