import type { JSX } from 'preact';
import { baseName } from '../base/format.ts';
import { shownState } from '../base/state.ts';
import { usePages, type ItemOf } from '../base/use-pages.ts';
import { CommandLine } from './command-line.tsx';
import { Glyph } from './glyph.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { Age } from './time.tsx';
import { VirtualList } from './virtual-list.tsx';

type Receipt = ItemOf<'receipt list'>;

const ROW_PX = 33;
const PAGE = 200;

/** The receipts in the order of their chain, newest first: each names the hash of the one before it. */
export function ReceiptChain(): JSX.Element {
  const { items, error, loadMore } = usePages(
    'receipt list',
    { limit: PAGE },
    { keyOf: ({ receipt_hash }) => receipt_hash, isAffected: ({ runs }) => runs.length > 0 },
  );
  if (items === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  if (items.length === 0)
    return (
      <Empty command="deed work run plan.yaml --dry-run">
        There is no receipt yet. Each run of an agent gets one when it ends.
      </Empty>
    );
  return (
    <>
      <VirtualList
        class="records"
        label="Receipts"
        items={items}
        rowHeight={ROW_PX}
        keyOf={({ receipt_hash }) => receipt_hash}
        onEnd={loadMore}
        render={(receipt, index) => <Row receipt={receipt} isLinked={isLinked(receipt, items[index + 1])} />}
      />
      <CommandLine line="deed receipt list" />
    </>
  );
}

/** Whether a receipt names the one before it; undefined for the last one that was read. */
function isLinked(receipt: Receipt, before: Receipt | undefined): boolean | undefined {
  return before === undefined ? undefined : receipt.previous_receipt_hash === before.receipt_hash;
}

function Row({
  receipt,
  isLinked: isRight,
}: {
  readonly receipt: Receipt;
  readonly isLinked: boolean | undefined;
}): JSX.Element {
  const { state, label } = shownState(receipt.status);
  return (
    <div class="line-row">
      <Glyph state={state} />
      <span class="hidden">{label}</span>
      <span class="muted">
        <Age at={receipt.timestamp_iso} />
      </span>
      <span class="clip">
        <strong>{receipt.run_id}</strong> <span class="muted">{baseName(receipt.root)}</span>
      </span>
      <code class="muted" title="Its hash, and that of the receipt before it">
        {short(receipt.receipt_hash)} ← {short(receipt.previous_receipt_hash)}
      </code>
      {isRight !== undefined && (
        <span class={isRight ? 'badge done' : 'badge failed'}>{isRight ? 'linked' : 'broken link'}</span>
      )}
    </div>
  );
}

function short(hash: string): string {
  return hash.replace(/^\w+:/u, '').slice(0, 8) || '–';
}
