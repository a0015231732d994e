import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CallError } from '../base/api.ts';
import { baseName } from '../base/format.ts';
import { shownState } from '../base/state.ts';
import { usePages, type ItemOf } from '../base/use-pages.ts';
import type { RunRow } from '../base/use-runs.ts';
import { CommandLine } from './command-line.tsx';
import { Glyph } from './glyph.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { Age } from './time.tsx';
import { VirtualList } from './virtual-list.tsx';

type Receipt = ItemOf<'receipt list'>;

const ROW_PX = 33;
const PAGE = 200;

interface ReceiptChainProps {
  /** Why the chain is not right. */
  readonly fault: CallError | undefined;
  /** The newest runs: their receipts are named by their items. */
  readonly runs: readonly RunRow[] | undefined;
}

/** The receipts in the order of their chain, newest first: each names the hash of the one before it. */
export function ReceiptChain({ fault, runs = [] }: ReceiptChainProps): JSX.Element {
  const runById = useMemo(() => new Map(runs.map((run) => [run.run_id, run])), [runs]);
  const problems = problemsOf(fault);
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
        render={(receipt, index) => (
          <Row
            receipt={receipt}
            run={runById.get(receipt.run_id)}
            link={linkOf(receipt, items[index + 1])}
            problem={problems.get(receipt.run_id)}
          />
        )}
      />
      <CommandLine line="deed receipt list" />
    </>
  );
}

/** What is wrong with which run, by the verification. */
function problemsOf(fault: CallError | undefined): ReadonlyMap<string, string> {
  const found = fault?.details.problems;
  const problems = Array.isArray(found)
    ? (found as { run_id?: string; file?: string; problem?: string }[])
    : [];
  return new Map(problems.map(({ run_id = '', file = '', problem = '' }) => [run_id, `${file}: ${problem}`]));
}

interface Link {
  readonly label: string;
  readonly isRight: boolean;
}

/** Whether a receipt names the one before it; undefined for the last one that was read. */
function linkOf(receipt: Receipt, before: Receipt | undefined): Link | undefined {
  const previous = receipt.previous_receipt_hash;
  if (/^(?:\w+:)?0+$/u.test(previous)) return { label: 'first', isRight: true };
  if (before === undefined) return undefined;
  return previous === before.receipt_hash
    ? { label: 'linked', isRight: true }
    : { label: 'broken link', isRight: false };
}

interface RowProps {
  readonly receipt: Receipt;
  readonly run: RunRow | undefined;
  readonly link: Link | undefined;
  readonly problem: string | undefined;
}

function Row({ receipt, run, link, problem }: RowProps): JSX.Element {
  const { state, label } = shownState(receipt.status);
  return (
    <div class="line-row">
      <Glyph state={state} />
      <span class="muted">
        <Age at={receipt.timestamp_iso} />
      </span>
      <span class="clip">
        <strong>
          {run === undefined || run.job_id === null ? (
            receipt.run_id
          ) : (
            <a href={`/jobs/${run.job_id}?item=${encodeURIComponent(run.item_id)}&tab=receipt`}>
              {run.item_id}
            </a>
          )}
        </strong>{' '}
        <span class="muted">
          {problem ??
            [
              baseName(receipt.root),
              label.toLowerCase(),
              ...(run === undefined ? [] : [receipt.run_id]),
            ].join(' · ')}
        </span>
      </span>
      <code class="muted" title="Its hash, and that of the receipt before it">
        {short(receipt.receipt_hash)} ← {short(receipt.previous_receipt_hash)}
      </code>
      {problem !== undefined && <span class="badge failed">changed</span>}
      {problem === undefined && link !== undefined && (
        <span class={link.isRight ? 'badge done' : 'badge failed'}>{link.label}</span>
      )}
    </div>
  );
}

function short(hash: string): string {
  return hash.replace(/^\w+:/u, '').slice(0, 8) || '–';
}
