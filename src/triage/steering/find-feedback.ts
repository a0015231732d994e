import type { Label } from '../inference/conformal.ts';
import type { ProcessFacts } from '../process-snapshot.ts';
import { fullCommand } from '../signatures/command-text.ts';
import type { FeedbackEntry } from './steering.ts';

export type FindFeedback = (process: Pick<ProcessFacts, 'command' | 'comm'>) => FeedbackEntry | undefined;

/** Creates a function that returns what a user said about the command of a process. */
export function createFindFeedback(entries: readonly FeedbackEntry[] = []): FindFeedback {
  if (entries.length === 0) return () => undefined;
  const byCommand = new Map(entries.map((entry) => [entry.command, entry]));
  return (process) =>
    process.command === null || process.command.length === 0
      ? undefined
      : byCommand.get(fullCommand(process));
}

/** Describes a verdict for rationales and vetoes. */
export function describeFeedback({ verdict, at }: FeedbackEntry): string {
  const day = at.slice(0, 10);
  return verdict === 'keep'
    ? `a user marked this command as "keep" on ${day}`
    : `a user marked this command as "gone" on ${day}`;
}

/** Returns the verdicts as labelled processes for the conformal sets. */
export function labelsOf(entries: readonly FeedbackEntry[]): readonly Label[] {
  return entries.map(({ verdict, posterior }) => ({
    class: verdict === 'keep' ? 'useful' : 'abandoned',
    posterior,
  }));
}
