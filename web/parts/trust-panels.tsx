import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { read, type CallError } from '../base/api.ts';
import { plural } from '../base/format.ts';
import { noteFailure } from '../base/session.ts';
import { useRead } from '../base/use-read.ts';
import { StateBadge } from './badge.tsx';
import { CommandLine } from './command-line.tsx';
import { Glyph } from './glyph.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { Panel } from './panel.tsx';

type Verdict = { readonly words: string } | CallError | 'busy';

interface VerdictProps {
  /** Gets the fault of the receipts; undefined if all are valid. */
  readonly onVerified: (fault: CallError | undefined) => void;
}

/** Verifies the audit log and the chain of receipts when the page is opened, and again on request. */
export function VerdictPanel({ onVerified }: VerdictProps): JSX.Element {
  const [audit, setAudit] = useState<Verdict>('busy');
  const [receipts, setReceipts] = useState<Verdict>('busy');
  const verify = (): void => {
    const attempt = async (set: (verdict: Verdict) => void, check: () => Promise<string>): Promise<void> => {
      set('busy');
      const verdict = await check().then((words) => ({ words }), noteFailure);
      set(verdict);
    };
    void attempt(setAudit, async () => {
      const { lines } = await read('audit verify', {});
      return `${plural(lines, 'line')} of the audit log: none was changed or removed`;
    });
    const setChain = (verdict: Verdict): void => {
      setReceipts(verdict);
      if (verdict !== 'busy') onVerified(verdict instanceof Error ? verdict : undefined);
    };
    void attempt(setChain, async () => {
      const { checked } = await read('receipt verify', {});
      return checked === 0
        ? 'No receipts yet'
        : `${plural(checked, 'receipt')}: signatures, hashes and chain are valid`;
    });
  };
  useEffect(verify, []);
  return (
    <Panel
      title="Verification"
      aside={
        <button
          type="button"
          class="small"
          disabled={audit === 'busy' || receipts === 'busy'}
          onClick={verify}
        >
          Verify again
        </button>
      }
    >
      <div class="facts" role="status">
        <VerdictLine verdict={audit} what="The audit log" />
        <VerdictLine verdict={receipts} what="The receipts" />
        <CommandLine line="deed audit verify; deed receipt verify" />
      </div>
    </Panel>
  );
}

function VerdictLine({ verdict, what }: { readonly verdict: Verdict; readonly what: string }): JSX.Element {
  if (verdict === 'busy') return <StateBadge state="running" label={`${what}: verifying…`} />;
  if (verdict instanceof Error)
    return (
      <>
        <StateBadge state="failed" label={`${what}: changed or incomplete`} />
        <Failure error={verdict} />
      </>
    );
  return (
    <p class="check">
      <Glyph state="done" />
      {verdict.words}
    </p>
  );
}

/** The key that signed the newest receipt. */
export function KeyPanel(): JSX.Element {
  const { data } = useRead('receipt list', { limit: 1 }, ({ runs }) => runs.length > 0);
  const newest = data?.items[0]?.run_id;
  const { data: shown } = useRead(
    'receipt show',
    newest === undefined ? undefined : { id: newest },
    () => false,
  );
  const signatures = shown?.envelope.signatures as readonly { readonly keyid?: string }[] | undefined;
  return (
    <Panel title="Key" command={newest === undefined ? 'deed receipt list' : `deed receipt show ${newest}`}>
      {shown === undefined || shown.public_key === null ? (
        <Empty>The key that signs receipts is created with the first one.</Empty>
      ) : (
        <div class="facts">
          <p>
            Receipts are signed with the Ed25519 key <code class="wrap">{signatures?.[0]?.keyid}</code>
          </p>
          <pre class="memory-text">{shown.public_key}</pre>
        </div>
      )}
    </Panel>
  );
}

const STATES = { pass: 'done', warn: 'waits', fail: 'failed' } as const;
const WORDS = { pass: 'OK', warn: 'Warning', fail: 'Problem' } as const;

/** The checks of the installation, problems first. */
export function DoctorPanel(): JSX.Element {
  const { data, error } = useRead('doctor', {}, () => false);
  const rank = { fail: 0, warn: 1, pass: 2 };
  const checks = (data?.checks ?? []).toSorted((a, b) => rank[a.status] - rank[b.status]);
  return (
    <Panel title="Installation" class="doctor" command="deed doctor">
      {error !== undefined && <Failure error={error} />}
      {data === undefined && error === undefined && <Loading />}
      <ul class="checks" tabIndex={0} aria-label="Checks">
        {checks.map(({ check, status, message, fix }) => (
          <li key={check} class="check">
            <Glyph state={STATES[status]} />
            <span>
              <span class="hidden">{WORDS[status]}: </span>
              <strong>{check.replaceAll('_', ' ')}</strong> <span class="muted">{message}</span>
              {fix !== null && status !== 'pass' && <span class="fix">{fix}</span>}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
