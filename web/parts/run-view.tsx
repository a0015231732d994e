import type { JSX } from 'preact';
import { formatReason } from '../base/format.ts';
import { select, query } from '../base/router.ts';
import { ANNOUNCED_MS, useInterval } from '../base/use-interval.ts';
import { useRead } from '../base/use-read.ts';
import { Badge } from './badge.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { DiffView } from './diff-view.tsx';
import { LogView } from './log-view.tsx';
import { Failure, Loading } from './notice.tsx';
import { IsolationBadge, LimitsView, ReceiptView, TestsView, type RunDetail } from './run-facts.tsx';
import { Tabs } from './tabs.tsx';

interface RunViewProps {
  readonly runId: string;
  readonly onDecided: (message: string, jobId: string | null) => void;
}

const TABS = [
  { id: 'diff', label: 'Diff' },
  { id: 'log', label: 'Log' },
  { id: 'tests', label: 'Tests' },
  { id: 'limits', label: 'Limits' },
  { id: 'receipt', label: 'Receipt' },
];

/** A run that failed has its reason in the log, and often no changes. */
const LOG_FIRST: ReadonlySet<string> = new Set(['running', 'failure', 'timeout']);

function firstTab({ status, tests }: RunDetail): string {
  if (status === 'failure' && tests?.passed === false) return 'tests';
  return LOG_FIRST.has(status) ? 'log' : 'diff';
}

/** One run: what it did, how it was checked, and the decisions about it. */
export function RunView({ runId, onDecided }: RunViewProps): JSX.Element {
  const {
    data: run,
    error,
    refresh,
  } = useRead('work show', { id: runId }, ({ runs }) => runs.includes(runId));
  const host = run?.workspace.host;
  const isOpen = ['running', 'waiting', 'ready'].includes(run?.status ?? '');
  useInterval(ANNOUNCED_MS, typeof host === 'string' && isOpen, refresh);
  if (run === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  const tab = query.value.get('tab') ?? firstTab(run);
  const status = run.rolled_back ? 'rolled_back' : run.status;
  const description = run.item?.description;
  const problem = run.result?.denial_reason ?? run.result?.error;
  return (
    <div class="run">
      <DecisionBar
        runId={runId}
        itemId={run.item_id}
        status={status}
        onDecided={(message) => {
          refresh();
          onDecided(message, run.job_id);
        }}
      >
        <h2>{run.item_id}</h2>
        <Badge status={status} step={run.step} />
        <IsolationBadge run={run} />
      </DecisionBar>
      <p class="run-line muted">
        {run.agent_id}
        {typeof host === 'string' && ` on ${host}`}
        {run.attempt !== undefined && ` · attempt ${run.attempt}`} · {run.run_id}
        {decidedBy(run)}
      </p>
      {typeof description === 'string' && (
        <p class="run-description" tabIndex={0}>
          {description.trim()}
        </p>
      )}
      {problem !== undefined && <p class="run-problem">{formatReason(problem)}</p>}
      <Tabs label="Details of the run" tabs={TABS} selected={tab} onSelect={(id) => select({ tab: id })}>
        {tab === 'log' && <LogView runId={runId} />}
        {tab === 'diff' && <DiffView runId={runId} />}
        {tab === 'tests' && <TestsView run={run} />}
        {tab === 'limits' && <LimitsView run={run} />}
        {tab === 'receipt' && <ReceiptView run={run} />}
      </Tabs>
    </div>
  );
}

function decidedBy({ approval }: RunDetail): string {
  const { decision, by } = approval ?? {};
  if (typeof decision !== 'string' || typeof by !== 'string') return '';
  return ` · ${decision.replace('_', ' ')} by ${by.replace(/^user:/u, '')}`;
}
