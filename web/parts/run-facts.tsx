import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { read, type CallError } from '../base/api.ts';
import type { Reads } from '../base/commands.ts';
import { formatDuration, formatNumber } from '../base/format.ts';
import { plainOutput } from '../base/plain-output.ts';
import { noteFailure } from '../base/session.ts';
import { CommandLine } from './command-line.tsx';
import { Meter } from './meter.tsx';
import { Empty, Failure } from './notice.tsx';

export type RunDetail = Reads['work show']['output'];

/** The tests of a run: command, outcome, output. */
export function TestsView({ run }: { readonly run: RunDetail }): JSX.Element {
  const { command, passed } = run.tests ?? {};
  const output = run.result?.test_output;
  if (typeof command !== 'string')
    return <Empty>This item has no tests: its plan names no test_command.</Empty>;
  return (
    <div class="facts">
      <p>
        <span class={passed === true ? 'badge done' : 'badge failed'}>
          {passed === true ? 'Passed' : 'Failed'}
        </span>{' '}
        <code>{command}</code>
        {run.durations.tests_ms !== null && (
          <span class="muted number"> {formatDuration(run.durations.tests_ms)}</span>
        )}
      </p>
      {output !== undefined && output !== '' && (
        <pre class="raw" tabIndex={0}>
          {plainOutput(output)}
        </pre>
      )}
    </div>
  );
}

const LIMIT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    max_files: 'Files',
    max_tool_ops: 'Tool calls',
    max_delta_size: 'Size of the change',
    timeout_ms: 'Time of the agent',
  }),
);

/** Each limit of a run with its use. */
export function LimitsView({ run }: { readonly run: RunDetail }): JSX.Element {
  const limits = Object.entries(run.limits);
  if (limits.length === 0) return <Empty>Nothing is recorded about the limits of this run.</Empty>;
  return (
    <div class="facts">
      {limits.map(([name, { used, limit }]) => {
        const show = name === 'timeout_ms' ? formatDuration : formatNumber;
        return (
          <Meter
            key={name}
            label={LIMIT_NAMES.get(name) ?? name}
            value={used}
            max={limit}
            text={`${show(used)} of ${show(limit)}`}
          />
        );
      })}
    </div>
  );
}

/** How the run was isolated. */
export function IsolationBadge({ run }: { readonly run: RunDetail }): JSX.Element | null {
  const { isolation, mode } = run.workspace;
  if (typeof isolation !== 'string') return null;
  // A running run has no workspace yet. Otherwise nothing ran, or the process that knew was killed.
  if (mode === 'none' && run.status === 'running') return null;
  if (mode === 'none') return <span class="badge queued">Isolation not recorded</span>;
  const isNone = isolation === 'none';
  return (
    <span
      class={isNone ? 'badge failed' : 'badge done'}
      title={typeof mode === 'string' ? `Workspace: ${mode}` : ''}
    >
      {isNone ? 'Not isolated' : `Isolated: ${isolation}`}
    </span>
  );
}

type Verification = { readonly checked: number } | CallError;

/** The receipt of a run; its signature, hashes and place in the chain are verified on request. */
export function ReceiptView({ run }: { readonly run: RunDetail }): JSX.Element {
  const [verified, setVerified] = useState<Verification | 'busy'>();
  if (run.result === null) return <Empty>The receipt is written and signed when the run ends.</Empty>;
  const verify = async (): Promise<void> => {
    setVerified('busy');
    try {
      setVerified(await read('receipt verify', { id: run.run_id }));
    } catch (error) {
      setVerified(noteFailure(error));
    }
  };
  return (
    <div class="facts">
      <p>
        <code>{run.result.receipt_id}</code>
      </p>
      <p role="status">
        {verified === undefined && <span class="badge queued">Not verified yet</span>}
        {verified === 'busy' && <span class="badge running">Verifying…</span>}
        {typeof verified === 'object' && 'checked' in verified && (
          <span class="badge done">Verified: signature, hashes and chain</span>
        )}
      </p>
      {verified instanceof Error && <Failure error={verified} />}
      <div class="decision-buttons">
        <button type="button" class="primary" disabled={verified === 'busy'} onClick={() => void verify()}>
          Verify now
        </button>
        <ReplayButton runId={run.run_id} isPossible={run.status === 'success'} />
        <CommandLine line={`deed receipt verify ${run.run_id}`} />
      </div>
    </div>
  );
}

type Replay = Reads['work replay']['output'] | CallError;

/** Runs the item again in a scratch copy and compares the hashes. */
function ReplayButton({
  runId,
  isPossible,
}: {
  readonly runId: string;
  readonly isPossible: boolean;
}): JSX.Element | null {
  const [replay, setReplay] = useState<Replay | 'busy'>();
  if (!isPossible) return null;
  const start = async (): Promise<void> => {
    setReplay('busy');
    try {
      setReplay(await read('work replay', { id: runId }));
    } catch (error) {
      setReplay(noteFailure(error));
    }
  };
  return (
    <>
      <button type="button" disabled={replay === 'busy'} onClick={() => void start()}>
        {replay === 'busy' ? 'Replaying…' : 'Replay'}
      </button>
      <span role="status">
        {typeof replay === 'object' && 'grade' in replay && (
          <span class={replay.matches ? 'badge done' : 'badge failed'}>
            {replay.matches ? `Same hash (${replay.grade})` : 'Another hash'}
          </span>
        )}
        {replay instanceof Error && <span class="badge failed">{replay.message}</span>}
      </span>
    </>
  );
}
