import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';

/** A queue and a label are one word: both are part of names in the database. */
const WORD = /^[a-z0-9][a-z0-9_-]{0,39}$/u;
const NEEDS = '.needs.';
const LANDING = '.land';

export function assertWord(value: string, field: string): string {
  if (WORD.test(value)) return value;
  throw new Fault('E_VALIDATION', `"${value}" is not a name.`, {
    hint: 'Use up to 40 lower-case letters, digits, dashes and underscores.',
    details: { field },
  });
}

/** The name of a queue in the database: each repository has its own queues, so a worker gets only items that it has a clone for. */
export function databaseQueue(queue: string, project: string): string {
  return `${assertWord(queue, 'on')}.${sha256(project).slice(0, 12)}`;
}

/** Items that require the same labels share a queue of the database, so a worker never takes what it cannot run. */
export function itemQueue(queue: string, requires: readonly string[] = []): string {
  return requires.length === 0 ? queue : `${queue}${NEEDS}${[...new Set(requires)].sort().join('.')}`;
}

export function landingQueue(queue: string): string {
  return `${queue}${LANDING}`;
}

/** Whether a worker with these labels can run the items of a queue of the database. */
export function canTake(name: string, queue: string, labels: readonly string[]): boolean {
  if (name === queue) return true;
  const start = `${queue}${NEEDS}`;
  return (
    name.startsWith(start) &&
    name
      .slice(start.length)
      .split('.')
      .every((label) => labels.includes(label))
  );
}
