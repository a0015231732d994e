import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { formatCost, formatNumber, plural } from '../base/format.ts';
import { query, select } from '../base/router.ts';
import { shownState } from '../base/state.ts';
import { useChosenInView } from '../base/use-current-in-view.ts';
import { useListKeys } from '../base/use-list-keys.ts';
import { usePages, type ItemOf } from '../base/use-pages.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Empty, Failure, Loading } from '../parts/notice.tsx';
import { SessionView } from '../parts/session-view.tsx';
import { Age } from '../parts/time.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';

type SessionRow = ItemOf<'agent sessions list'>;

const ROW_PX = 57;

/** The stored sessions of agents, and one in detail. */
export default function SessionsPage(): JSX.Element {
  const { items, total, error, loadMore } = usePages(
    'agent sessions list',
    { limit: 100 },
    { keyOf: ({ id }) => id, isAffected: ({ sessions }) => sessions.length > 0 },
  );
  const chosen = query.value.get('session') ?? items?.[0]?.id;
  useListKeys(
    items ?? [],
    ({ id }) => id === chosen,
    ({ id }) => select({ session: id }),
  );
  const view = useRef<HTMLElement>(null);
  useChosenInView(view, chosen);
  if (items === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  return (
    <>
      <div class="page-head">
        <h1>Sessions</h1>
        <span class="muted">{plural(total ?? items.length, 'session')}</span>
        <span class="spacer" />
        <CommandLine line="deed agent sessions list" />
      </div>
      {items.length === 0 ? (
        <Empty command='deed agent run "You are terse." "Say hello." --models <provider>/<model> --dry-run'>
          No agent of deed has run yet. Their sessions are kept for 30 days.
        </Empty>
      ) : (
        <div class="two-panes">
          <VirtualList
            class="panel pane-list"
            label="Sessions of agents"
            items={items}
            rowHeight={ROW_PX}
            keyOf={({ id }) => id}
            selected={chosen}
            onEnd={loadMore}
            render={(row) => <Row row={row} isSelected={row.id === chosen} />}
          />
          <section class="panel pane-view" aria-label="Selected session" ref={view}>
            {chosen !== undefined && <SessionView key={chosen} id={chosen} />}
          </section>
        </div>
      )}
    </>
  );
}

function Row({ row, isSelected }: { readonly row: SessionRow; readonly isSelected: boolean }): JSX.Element {
  const { state, label } = shownState(row.status);
  return (
    <a
      class={isSelected ? 'row selected' : 'row'}
      href={`/sessions?session=${row.id}`}
      aria-current={isSelected ? 'true' : undefined}
    >
      <Glyph state={state} />
      <span class="row-title">{row.task ?? row.id}</span>
      <span class="row-side">
        <Age at={row.updated_at} />
      </span>
      <span class="row-line muted">
        {label} · {row.agent ?? 'unknown agent'} · {plural(row.turns, 'turn')} · {formatNumber(row.tokens)}{' '}
        tokens · {formatCost(row.cost_usd)}
      </span>
    </a>
  );
}
