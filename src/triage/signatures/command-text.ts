import { excerpt, printable } from '../../base/text.ts';
import type { ProcessFacts } from '../process-snapshot.ts';

const SHORT_CHARACTERS = 60;

/** Renders a command as one line. Control characters are made visible, because a process can set any name. */
export function fullCommand({ command, comm }: Pick<ProcessFacts, 'command' | 'comm'>): string {
  const text = command === null || command.length === 0 ? `[${comm}]` : command.join(' ');
  return printable(text.toWellFormed()).replaceAll(/[\n\t]+/gu, ' ');
}

/** Renders a short form of a command, without the folders of programs and scripts. */
export function shortCommand(process: Pick<ProcessFacts, 'command' | 'comm'>): string {
  const full = fullCommand(process);
  const words = full
    .split(' ')
    .map((word, position) => (position < 2 ? word.slice(word.lastIndexOf('/') + 1) : word));
  return excerpt(words.join(' ').trim() || full, SHORT_CHARACTERS);
}
