import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { eventInWords, kindInWords, titlesOf, type Titles } from '../base/event-words.ts';
import { callerName, formatClock, formatNumber, formatTime } from '../base/format.ts';
import { withDays, type JournalRow } from '../base/journal-rows.ts';
import { query, select } from '../base/router.ts';
import { useEvents, type JournalEvent } from '../base/use-events.ts';
import { useKeys } from '../base/use-keys.ts';
import { useListKeys } from '../base/use-list-keys.ts';
import { CommandLine } from './command-line.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { Age } from './time.tsx';
import { VirtualList } from './virtual-list.tsx';

const ROW_PX = 33;

/** The events of all agents by day, and one in detail. */
export function EventTimeline({ search }: { readonly search: string | undefined }): JSX.Element {
  const kind = query.value.get('kind') ?? undefined;
  const { items, total, error, loadMore } = useEvents({ search, kind });
  const rows = useMemo(() => withDays(items ?? []), [items]);
  const titles = useMemo(() => titlesOf(items ?? []), [items]);
  const chosen = query.value.get('event') ?? undefined;
  const event = items?.find(({ id }) => id === chosen);
  useListKeys(
    items ?? [],
    ({ id }) => id === chosen,
    ({ id }) => select({ event: id }),
  );
  useKeys({ Escape: () => select({ event: undefined }) });
  if (items === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  if (items.length === 0)
    return (
      <Empty command="deed push --event …">
        {search === undefined && kind === undefined
          ? 'Nothing is recorded yet.'
          : 'No event contains this text.'}
      </Empty>
    );
  return (
    <div class={event === undefined ? 'with-side' : 'with-side open'}>
      <section class="panel list-panel" aria-label="Timeline">
        <header class="panel-head">
          <KindFilter events={items} kind={kind} />
          <span class="count number">{formatNumber(total ?? items.length)}</span>
          <span class="spacer" />
          <CommandLine line="deed events list --all" />
        </header>
        <VirtualList
          label="Events"
          items={rows}
          rowHeight={ROW_PX}
          keyOf={({ key }) => key}
          selected={chosen}
          onEnd={loadMore}
          render={(row) => (
            <Row
              row={row}
              // What was searched for is in the message, not in the words.
              titles={search === undefined ? titles : undefined}
              isSelected={row.key === chosen}
            />
          )}
        />
      </section>
      {event !== undefined && <EventView event={event} />}
    </div>
  );
}

interface RowProps {
  readonly row: JournalRow;
  readonly titles: Titles | undefined;
  readonly isSelected: boolean;
}

function Row({ row, titles, isSelected }: RowProps): JSX.Element {
  if (row.kind === 'day') return <div class="day-row">{row.day}</div>;
  const { id, kind, agent_name, message, created_at } = row.event;
  return (
    <button
      type="button"
      class={isSelected ? 'line-row selected' : 'line-row'}
      aria-pressed={isSelected}
      onClick={() => select({ event: id })}
    >
      <time class="muted" dateTime={created_at} title={formatTime(created_at)}>
        {formatClock(created_at)}
      </time>
      <span class="tag">{kindInWords(kind)}</span>
      <span class="clip">{titles === undefined ? message : eventInWords(row.event, titles)}</span>
      <span class="muted clip who">{callerName(agent_name)}</span>
    </button>
  );
}

/** The kinds of the events that were read so far. */
function KindFilter({
  events,
  kind,
}: {
  readonly events: readonly JournalEvent[];
  readonly kind: string | undefined;
}): JSX.Element {
  const kinds = useMemo(() => [...new Set(events.map((event) => event.kind))].toSorted(), [events]);
  const shown = kind === undefined || kinds.includes(kind) ? kinds : [kind, ...kinds];
  return (
    <select
      aria-label="Kind of event"
      value={kind ?? ''}
      onChange={({ currentTarget: { value } }) => select({ kind: value === '' ? undefined : value })}
    >
      <option value="">All kinds</option>
      {shown.map((name) => (
        <option key={name} value={name}>
          {kindInWords(name)}
        </option>
      ))}
    </select>
  );
}

function EventView({ event }: { readonly event: JournalEvent }): JSX.Element {
  return (
    <section class="panel side-panel" aria-label="Selected event">
      <header class="panel-head">
        <span class="tag">{kindInWords(event.kind)}</span>
        <span class="spacer" />
        <button type="button" class="small" onClick={() => select({ event: undefined })}>
          Close
        </button>
      </header>
      <div class="task-body">
        <p class="event-message">{event.message}</p>
        <p class="muted">
          {callerName(event.agent_name)} · <Age at={event.created_at} /> · event {event.id}
        </p>
        {event.task_id !== null && (
          <a class="link" href={`/tasks?task=${event.task_id}`}>
            Task {event.task_id}
          </a>
        )}
        {Object.keys(event.metadata).length > 0 && (
          <pre class="raw" tabIndex={0}>
            {JSON.stringify(event.metadata, null, 2)}
          </pre>
        )}
      </div>
    </section>
  );
}
