import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Situation } from './situation.ts';

const TWELVE_DAYS_S = 12 * 86_400;

/** Sets back the times of the files that a situation declares as not written for a long time. */
export function ageQuietFiles(folder: string, situations: readonly Situation[]): void {
  const then = Date.now() / 1000 - TWELVE_DAYS_S;
  for (const { id } of situations) {
    const list = join(folder, id, 'quiet.list');
    if (!existsSync(list)) continue;
    for (const file of readFileSync(list, 'utf8').trim().split('\n')) {
      const path = isAbsolute(file) ? file : join(folder, id, file);
      if (existsSync(path)) utimesSync(path, then, then);
    }
  }
}
