import type { Judgement } from '../assessment.ts';
import type { Snapshot } from '../process-snapshot.ts';
import { gatherStory, type Story } from './story.ts';
import { conversational, formal, technical, terse, type Prose } from './styles.ts';

export const PROSE_STYLES = ['terse', 'conversational', 'formal', 'technical'] as const;
export type ProseStyle = (typeof PROSE_STYLES)[number];

const WRITERS: Readonly<Record<ProseStyle, (story: Story) => Prose>> = {
  terse,
  conversational,
  formal,
  technical,
};

/** Puts a judgement into words. Everything said is in the data; there is nothing else to say it from. */
export function writeProse(
  judgement: Judgement,
  snapshot: Snapshot,
  style: ProseStyle = 'conversational',
): Prose {
  return WRITERS[style](gatherStory(judgement, snapshot));
}
