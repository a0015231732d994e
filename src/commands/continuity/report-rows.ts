import type { CommandContext } from '../../contract/command.ts';

const EVERY_MS = 2000;

/** Returns a function that shows the number of rows on standard error, at most every two seconds. */
export function reportRows(
  { progress, system }: Pick<CommandContext, 'progress' | 'system'>,
  done: 'exported' | 'imported',
): (rows: number) => void {
  let last = system.clock.now();
  return (rows) => {
    const now = system.clock.now();
    if (now - last < EVERY_MS) return;
    last = now;
    progress(`${rows.toLocaleString('en')} rows ${done}.`);
  };
}
