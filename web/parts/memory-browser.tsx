import type { JSX } from 'preact';
import { formatNumber } from '../base/format.ts';
import { query, select } from '../base/router.ts';
import { useKeys } from '../base/use-keys.ts';
import { useListKeys } from '../base/use-list-keys.ts';
import { useRead } from '../base/use-read.ts';
import { usePages, type ItemOf, type Pages } from '../base/use-pages.ts';
import { CommandLine } from './command-line.tsx';
import { MemoryView } from './memory-view.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { Age } from './time.tsx';
import { VirtualList } from './virtual-list.tsx';

export type Memory = ItemOf<'memory list'>;
export type MemoryScope = {
  readonly scope: 'global' | 'project' | 'task' | 'agent';
  readonly scope_id?: string;
};

const ROW_PX = 57;
const PAGE = 500;
const SCOPES = ['global', 'project', 'task', 'agent'] as const;

/** The memories of a scope, or those of all scopes that match a search, and one with its history. */
export function MemoryBrowser({ search }: { readonly search: string | undefined }): JSX.Element {
  const scope = scopeOf(query.value);
  const { items, total, error, loadMore } = useMemories(search, scope);
  const chosen = query.value.get('key') ?? undefined;
  const memory = items?.find((each) => keyOf(each) === chosen);
  useListKeys(
    items ?? [],
    (each) => keyOf(each) === chosen,
    (each) => select({ key: keyOf(each) }),
  );
  useKeys({ Escape: () => select({ key: undefined }) });
  return (
    <div class={memory === undefined ? 'with-side' : 'with-side open'}>
      <section class="panel list-panel" aria-label="Memories">
        <header class="panel-head">
          {search === undefined ? <ScopeFilter scope={scope} /> : <span class="muted">all scopes</span>}
          {items !== undefined && <span class="count number">{formatNumber(total ?? items.length)}</span>}
          <span class="spacer" />
          <CommandLine line={search === undefined ? listLine(scope) : 'deed memory search …'} />
        </header>
        {error !== undefined && <Failure error={error} />}
        {items === undefined && error === undefined && <Loading />}
        {items?.length === 0 && (
          <Empty command='deed memory set --key … --value "…" --dry-run'>
            {search === undefined ? whyEmpty(scope) : 'No memory matches.'}
          </Empty>
        )}
        {items !== undefined && items.length > 0 && (
          <VirtualList
            label="List of memories"
            items={items}
            rowHeight={ROW_PX}
            keyOf={keyOf}
            selected={chosen}
            onEnd={loadMore}
            render={(each) => <Row memory={each} isSelected={keyOf(each) === chosen} />}
          />
        )}
      </section>
      {memory !== undefined && <MemoryView key={chosen} memory={memory} />}
    </div>
  );
}

function listLine({ scope, scope_id: id }: MemoryScope): string {
  if (scope === 'global') return 'deed memory list';
  return id === undefined
    ? 'deed memory list --scopes'
    : `deed memory list --scope ${scope} --scope-id ${quoted(id)}`;
}

/** As one word of a shell. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function whyEmpty({ scope, scope_id: id }: MemoryScope): string {
  if (scope !== 'global' && id === undefined) return `Choose the ${scope} whose memories you want to see.`;
  return 'Nothing is remembered in this scope.';
}

function useMemories(search: string | undefined, scope: MemoryScope): Pages<Memory> {
  const options = {
    keyOf,
    isAffected: ({ events }: { readonly events: readonly string[] }) => events.length > 0,
  };
  const found = usePages(
    'memory search',
    search === undefined ? undefined : { query: search, limit: PAGE },
    options,
  );
  const needsId = scope.scope !== 'global' && scope.scope_id === undefined;
  const listed = usePages(
    'memory list',
    search !== undefined || needsId ? undefined : { ...scope, limit: PAGE },
    options,
  );
  if (search !== undefined) return found;
  return needsId ? { ...listed, items: [] } : listed;
}

/** The same key can exist in every scope. */
function keyOf({ scope, scope_id, key }: Memory): string {
  return `${scope}/${scope_id ?? ''}/${key}`;
}

function scopeOf(members: URLSearchParams): MemoryScope {
  const scope = SCOPES.find((name) => name === members.get('scope')) ?? 'global';
  const id = members.get('scope_id');
  return { scope, ...(id !== null && scope !== 'global' && { scope_id: id }) };
}

function ScopeFilter({ scope }: { readonly scope: MemoryScope }): JSX.Element {
  return (
    <>
      <select
        aria-label="Scope"
        value={scope.scope}
        onChange={({ currentTarget: { value } }) =>
          select({ scope: value === 'global' ? undefined : value, scope_id: undefined, key: undefined })
        }
      >
        {SCOPES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {scope.scope !== 'global' && <ScopeChoice scope={scope} />}
    </>
  );
}

/** The projects, tasks or agents that have memories, to choose from. */
function ScopeChoice({ scope: { scope, scope_id: chosen } }: { readonly scope: MemoryScope }): JSX.Element {
  const { data } = useRead(
    'memory list',
    { scopes: true, limit: 1 },
    ({ events }: { readonly events: readonly string[] }) => events.length > 0,
  );
  const known = (data?.scopes ?? []).filter((each) => each.scope === scope);
  const isKnown = chosen === undefined || known.some(({ scope_id }) => scope_id === chosen);
  return (
    <select
      aria-label={`Which ${scope}`}
      class="scope-choice"
      value={chosen ?? ''}
      onChange={({ currentTarget: { value } }) =>
        select({ scope_id: value === '' ? undefined : value, key: undefined })
      }
    >
      <option value="">{known.length === 0 ? `no ${scope} has memories` : `which ${scope}?`}</option>
      {!isKnown && <option value={chosen}>{chosen}</option>}
      {known.map(({ scope_id: id, title, memories }) => (
        <option key={id} value={id}>
          {title === undefined ? id : `${title} · ${id}`} ({formatNumber(memories)})
        </option>
      ))}
    </select>
  );
}

function Row({ memory, isSelected }: { readonly memory: Memory; readonly isSelected: boolean }): JSX.Element {
  return (
    <button
      type="button"
      class={isSelected ? 'memory-row selected' : 'memory-row'}
      aria-pressed={isSelected}
      onClick={() => select({ key: keyOf(memory) })}
    >
      <span class="memory-key clip">{memory.key}</span>
      <span class="tag">{memory.kind}</span>
      {memory.pinned && <span class="tag">pinned</span>}
      <span class="spacer" />
      <span class="muted">
        <Age at={memory.confirmed_at} />
      </span>
      <span class="memory-value clip">{memory.value}</span>
    </button>
  );
}
