import type { JournalEvent } from './use-events.ts';

/** A row of the timeline: an event, or the day that the events after it belong to. */
export type JournalRow =
  | { readonly kind: 'event'; readonly key: string; readonly event: JournalEvent }
  | { readonly kind: 'day'; readonly key: string; readonly day: string };

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

/** Adds the day before the first event of each, in the time zone of the browser. */
export function withDays(events: readonly JournalEvent[]): readonly JournalRow[] {
  let last = '';
  return events.flatMap((event): JournalRow[] => {
    const date = new Date(event.created_at);
    const day = `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
    const row: JournalRow = { kind: 'event', key: event.id, event };
    if (day === last) return [row];
    last = day;
    return [{ kind: 'day', key: `day ${day}`, day: DAY.format(date) }, row];
  });
}
