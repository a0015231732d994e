import type { JSX } from 'preact';
import { formatClock, formatDuration, formatTime } from '../base/format.ts';
import { usePages, type ItemOf } from '../base/use-pages.ts';
import { CommandLine } from './command-line.tsx';
import { Glyph } from './glyph.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { VirtualList } from './virtual-list.tsx';

type Line = ItemOf<'audit list'>;

const ROW_PX = 33;
const PAGE = 200;

/** The calls of everyone, newest first. */
export function AuditList(): JSX.Element {
  // The reads of the pages are calls too, so the list is not read again with each change.
  const { items, error, loadMore } = usePages(
    'audit list',
    { limit: PAGE },
    { keyOf: ({ seq }) => seq, isAffected: () => false },
  );
  if (items === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  if (items.length === 0) return <Empty>The audit log is empty.</Empty>;
  return (
    <>
      <VirtualList
        class="records"
        label="Audit log"
        items={items}
        rowHeight={ROW_PX}
        keyOf={({ seq }) => seq}
        onEnd={loadMore}
        render={(line) => <Row line={line} />}
      />
      <CommandLine line="deed audit list" />
    </>
  );
}

function Row({ line }: { readonly line: Line }): JSX.Element {
  const isFailed = (line.exit_code ?? 0) !== 0;
  const user = line.account.user;
  return (
    <div class="line-row">
      <Glyph state={line.phase === 'begin' ? 'running' : isFailed ? 'failed' : 'done'} />
      <span class="hidden">{line.phase === 'begin' ? 'started' : isFailed ? 'failed' : 'done'}</span>
      <time class="muted" dateTime={line.at} title={formatTime(line.at)}>
        {formatClock(line.at)}
      </time>
      <span class="clip">
        <strong>{line.command ?? line.note ?? '–'}</strong>{' '}
        <span class="muted mono">{JSON.stringify(line.args)}</span>
      </span>
      {line.code !== null && <span class="tag">{line.code}</span>}
      <span class="muted clip who">{line.agent ?? (typeof user === 'string' ? user : '')}</span>
      <span class="muted number">{line.duration_ms === null ? '' : formatDuration(line.duration_ms)}</span>
    </div>
  );
}
