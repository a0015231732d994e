import { sentence } from '../base/sentence.ts';
import type { Command } from './command.ts';

/** What a command does, in paragraphs for people: its summary, and its description, unless that starts with the same words. */
export function aboutCommand({
  summary,
  description,
}: Pick<Command, 'summary' | 'description'>): readonly string[] {
  const texts = description?.startsWith(summary) === true ? [description] : [summary, description ?? ''];
  return texts.filter((text) => text !== '').map(sentence);
}
