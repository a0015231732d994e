import { usePages, type ItemOf, type Pages } from './use-pages.ts';

export type JournalEvent = ItemOf<'events list'>;

export interface EventFilter {
  readonly search: string | undefined;
  readonly kind: string | undefined;
}

const PAGE = 500;

/** The events of all agents, newest first; the next page is read when the reader scrolls close to the end. */
export function useEvents({ search, kind }: EventFilter): Pages<JournalEvent> {
  return usePages(
    'events list',
    { all: true, limit: PAGE, ...(search !== undefined && { search }), ...(kind !== undefined && { kind }) },
    { keyOf: ({ id }) => id, isAffected: ({ events }) => events.length > 0 },
  );
}
