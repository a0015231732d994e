import type { work } from '../../app/work/work.ts';

/** Loads the work part, which is not needed to describe a command. */
export async function loadWork(): Promise<typeof work> {
  return (await import('../../app/work/work.ts')).work;
}
