import type { Message } from '../conversation.ts';

/** Which messages of a conversation a request contains after older turns became a summary. */
export interface Compaction {
  /** The prompts: everything before the first response. */
  readonly head: number;
  /** The first message that is kept as it is. */
  readonly from: number;
  /** The message with the summary, which a request contains after the prompts. */
  readonly summary: number;
}

/** Returns the messages of the next request: all, or the prompts, the summary and the later turns. */
export function contextOf(
  conversation: readonly Message[],
  compaction: Compaction | undefined,
): readonly Message[] {
  if (compaction === undefined) return conversation;
  const { head, from, summary } = compaction;
  return [
    ...conversation.slice(0, head),
    ...conversation.slice(summary, summary + 1),
    ...conversation.slice(from, summary),
    ...conversation.slice(summary + 1),
  ];
}

/** Returns where the kept turns start when the last `keepTurns` responses stay; undefined when there is nothing before them to summarize. */
export function planCompaction(
  conversation: readonly Message[],
  earlier: Compaction | undefined,
  keepTurns: number,
): Omit<Compaction, 'summary'> | undefined {
  const responses = conversation.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const [head] = responses;
  // Messages before the earlier summary are part of it already.
  const later = responses.filter((index) => index > (earlier?.summary ?? -1));
  const from = later.at(-keepTurns);
  return head === undefined || from === undefined || later.length <= keepTurns ? undefined : { head, from };
}
