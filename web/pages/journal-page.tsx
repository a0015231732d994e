import type { JSX } from 'preact';
import { query, select } from '../base/router.ts';
import { EventTimeline } from '../parts/event-timeline.tsx';
import { MemoryBrowser } from '../parts/memory-browser.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { ViewChoice } from '../parts/view-choice.tsx';

const VIEWS = [
  { id: 'events', label: 'Timeline' },
  { id: 'memory', label: 'Memory' },
] as const;

/** What agents and people recorded: events in time, and what is remembered. */
export default function JournalPage(): JSX.Element {
  const view = query.value.get('view') === 'memory' ? 'memory' : 'events';
  const search = query.value.get('q') ?? undefined;
  return (
    <>
      <div class="page-head">
        <h1>Journal</h1>
        <ViewChoice
          label="View"
          views={VIEWS}
          selected={view}
          onSelect={(id) =>
            select({ view: id === 'events' ? undefined : id, event: undefined, key: undefined, q: undefined })
          }
        />
        <span class="spacer" />
        <SearchField
          key={view}
          label={view === 'events' ? 'Search events' : 'Search memories'}
          value={search ?? ''}
          onChange={(value) => select({ q: value })}
        />
      </div>
      {view === 'events' ? <EventTimeline search={search} /> : <MemoryBrowser search={search} />}
    </>
  );
}
