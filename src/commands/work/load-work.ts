import type { work } from '../../app/work/work.ts';

/** Loads the part that does the work; describing a command must not cost this. */
export async function loadWork(): Promise<typeof work> {
  return (await import('../../app/work/work.ts')).work;
}
