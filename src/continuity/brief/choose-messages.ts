import type { EventRow } from '../events/event.ts';
import { hasMeaning } from './is-request.ts';
import { RULED_OUT } from './ruled-out.ts';
import { splitSentences } from './split-sentences.ts';

const DECIDED = /\b(?:decid\w+|decision|agreed|chose|went with|instead of)\b/iu;
/** Letters of scripts that do not separate words. */
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
/** The last messages of this many sessions are shown. */
const SESSIONS = 3;
const MAX_EARLIER = 3;

/**
 * Chooses the messages of agents that a brief shows, the most useful first: the newest one, which may be as short as "Reverted.", the
 * newest one that describes the work, the last ones of the sessions before, then earlier ones of the newest session that name a decision.
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
  const latest = messages.filter(({ message }) => hasMeaning(message)).slice(0, 1);
  return [...new Set([...latest, ...lastOfSessions.slice(0, SESSIONS), ...earlier.slice(0, MAX_EARLIER)])];
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
  return count(message, /[\p{L}\p{N}]+/gu) >= 6 || count(message, WITHOUT_SPACES) >= 12;
}

function count(text: string, pattern: RegExp): number {
  return (text.match(pattern) ?? []).length;
}

export function sessionOf({ metadata }: EventRow): string {
  const { session_id } = JSON.parse(metadata) as { session_id?: unknown };
  return typeof session_id === 'string' ? session_id : '';
}
