import type { JSX } from 'preact';
import { now } from '../base/clock.ts';
import { baseName, formatCost, formatDuration, formatNumber, plural } from '../base/format.ts';
import { query, select } from '../base/router.ts';
import { elapsedMs, type SessionDetail } from '../base/session-steps.ts';
import { useRead } from '../base/use-read.ts';
import { Badge } from './badge.tsx';
import { CommandLine } from './command-line.tsx';
import { ConversationView } from './conversation-view.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { SessionLimits } from './session-limits.tsx';
import { StepTree } from './step-tree.tsx';
import { Tabs } from './tabs.tsx';
import { ToolApprovals } from './tool-approvals.tsx';

const TABS = [
  { id: 'steps', label: 'Steps' },
  { id: 'conversation', label: 'Conversation' },
  { id: 'limits', label: 'Limits' },
  { id: 'report', label: 'Report' },
];

/** One session of an agent: what it did, what it cost, and what it said. */
export function SessionView({ id }: { readonly id: string }): JSX.Element {
  const { data, error, refresh } = useRead('agent sessions show', { id, detail: true }, ({ sessions }) =>
    sessions.includes(id),
  );
  if (data === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  const tab = query.value.get('tab') ?? 'steps';
  return (
    <>
      <div class="decision-bar">
        <h2 class="task-title">{data.agent}</h2>
        <Badge status={data.status} />
        <span class="spacer" />
        <CommandLine line={`deed agent sessions show ${id} --detail`} />
      </div>
      <p class="run-line muted">
        {plural(data.turns, 'turn')} · {plural(data.tool_calls, 'tool call')} ·{' '}
        {formatNumber(data.tokens.input)} tokens in, {formatNumber(data.tokens.output)} out
        {data.tokens.cached > 0 && `, ${formatNumber(data.tokens.cached)} cached`} ·{' '}
        {formatCost(data.cost_usd)} · {formatDuration(elapsedMs(data, now.value))} · {baseName(data.cwd)}
      </p>
      {data.error !== null && data.approvals.length === 0 && <p class="run-problem">{data.error}</p>}
      {data.approvals.length > 0 && (
        <ToolApprovals sessionId={id} approvals={data.approvals} onDecided={refresh} />
      )}
      <Tabs
        label="Details of the session"
        tabs={TABS}
        selected={tab}
        onSelect={(next) => select({ tab: next })}
      >
        {tab === 'steps' && <StepTree steps={data.steps ?? []} />}
        {tab === 'conversation' && <ConversationView messages={data.conversation} />}
        {tab === 'limits' && <LimitsView session={data} />}
        {tab === 'report' && <ReportView session={data} />}
      </Tabs>
    </>
  );
}

function LimitsView({ session }: { readonly session: SessionDetail }): JSX.Element {
  if (Object.keys(session.limits).length === 0)
    return <Empty>An earlier version of deed stored this session, without its limits.</Empty>;
  return (
    <div class="facts">
      <SessionLimits session={session} />
    </div>
  );
}

function ReportView({ session }: { readonly session: SessionDetail }): JSX.Element {
  const { report } = session;
  if (report === null) return <Empty>The session has no report yet.</Empty>;
  const text = typeof report.content === 'string' ? report.content : JSON.stringify(report, null, 2);
  return (
    <pre class="raw" tabIndex={0}>
      {text}
    </pre>
  );
}
