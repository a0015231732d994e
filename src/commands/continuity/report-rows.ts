import type { CommandContext } from '../../contract/command.ts';

const EVERY_MS = 2000;

type Done = 'exported' | 'imported' | 'read' | 'compared';

/** Returns a function that shows the number of rows on standard error, at most every two seconds. */
export function reportRows(
  { progress, system }: Pick<CommandContext, 'progress' | 'system'>,
  done: Done,
): (rows: number, step?: Done) => void {
  let last = system.clock.now();
  return (rows, step = done) => {
    const now = system.clock.now();
    if (now - last < EVERY_MS) return;
    last = now;
    progress(`${rows.toLocaleString('en')} rows ${step}.`);
  };
}
