import type { Judgement } from '../assessment.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import { collectProseFacts, type ProseFacts } from './prose-facts.ts';
import { conversational, formal, technical, terse, type Prose } from './styles.ts';

export const PROSE_STYLES = ['terse', 'conversational', 'formal', 'technical'] as const;
export type ProseStyle = (typeof PROSE_STYLES)[number];

const WRITERS: Readonly<Record<ProseStyle, (facts: ProseFacts) => Prose>> = {
  terse,
  conversational,
  formal,
  technical,
};

/** Writes a summary of an assessment in a style. It contains only facts of the assessment and the snapshot. */
export function writeProse(
  judgement: Judgement,
  snapshot: ProcessSnapshot,
  style: ProseStyle = 'conversational',
): Prose {
  return WRITERS[style](collectProseFacts(judgement, snapshot));
}
