import type { EventRow } from '../events/event.ts';
import { RULED_OUT } from './ruled-out.ts';
import { splitSentences } from './split-sentences.ts';

const DECIDED = /\b(?:decid\w+|decision|agreed|chose|went with|instead of|next step)\b/iu;
/** The last messages of this many sessions are shown. */
const SESSIONS = 3;
const MAX_EARLIER = 3;

/**
 * Chooses the messages of agents that a brief shows, the most useful first: the newest one with content, the last ones of the sessions
 * before, then earlier ones of the newest session that name a decision.
 */
export function chooseMessages(messages: readonly EventRow[]): EventRow[] {
  const informative = messages.filter(describesWork);
  const [newest] = informative;
  if (newest === undefined) return messages.slice(0, 1);
  const lastOfSessions = [...new Map(informative.toReversed().map((row) => [sessionOf(row), row])).values()]
    .toReversed()
    .toSorted((left, right) => informative.indexOf(left) - informative.indexOf(right));
  const earlier = informative.filter(
    (row) =>
      sessionOf(row) === sessionOf(newest) && !lastOfSessions.includes(row) && DECIDED.test(row.message),
  );
  return [...lastOfSessions.slice(0, SESSIONS), ...earlier.slice(0, MAX_EARLIER)];
}

/** The sentences in which agents said that something does not work, newest first. */
export function ruledOutIn(messages: readonly EventRow[]): EventRow[] {
  return messages.flatMap((row) =>
    splitSentences(row.message)
      .filter((sentence) => RULED_OUT.test(sentence))
      .map((message) => ({ ...row, message })),
  );
}

/** Whether a message describes the work; a short one such as "Done." does not. */
function describesWork({ message }: EventRow): boolean {
  return (message.match(/[\p{L}\p{N}]+/gu) ?? []).length >= 6;
}

function sessionOf({ metadata }: EventRow): string {
  const { session_id } = JSON.parse(metadata) as { session_id?: unknown };
  return typeof session_id === 'string' ? session_id : '';
}
