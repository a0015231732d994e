import { resolve } from 'node:path';
import type { AccountingEntry } from '../../agent/accounting-entry.ts';
import type { AIAgentResult } from '../../agent/agent-result.ts';
import type { LlmPort } from '../../agent/llm-port.ts';
import { openPlan, type CallerPorts } from '../../agent/open-plan.ts';
import type { AgentPlan } from '../../agent/plan-agent.ts';
import { replayStrictly, recordLlm } from '../../agent/providers/llm-recording.ts';
import { renderReport } from '../../agent/report/render-report.ts';
import type { ToolHost } from '../../agent/tool-host.ts';
import type { SessionKeeper } from '../../work/executors/session-keeper.ts';
import type { SessionEvent } from '../../agent/session-event.ts';
import type { SessionOrigin } from '../../agent/telemetry/session-spans.ts';
import { startSessionTelemetry } from '../../agent/telemetry/session-telemetry.ts';
import { randomId } from '../../base/ids.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { sleep } from '../../base/sleep.ts';
import type { Assignment, ExecutorResult } from '../../work/executors/executor.ts';
import { progressLine } from '../agent/agent-progress.ts';
import type { AgentCommandContext } from '../agent/agent-dependencies.ts';
import { LEDGER } from '../agent/ledger-files.ts';
import { createLedgerWriter } from '../agent/ledger-writer.ts';
import { framePlan } from './frame-prompt.ts';
import type { ItemSession } from './item-session.ts';
import type { LoadedAgent } from './load-agent.ts';
import { parseRecording, renderRecording } from './run-recording.ts';
import { sessionUsage } from './session-usage.ts';
import { startWorkspaceTools } from './start-workspace-tools.ts';
import { createWorkspaceHost, reportEarlier } from './workspace-host.ts';

/** Runs an agent on a work item: the session runs in this process, its tools inside the workspace. Records the models' responses. */
export async function runItemAgent(
  agent: LoadedAgent,
  assignment: Assignment,
  context: AgentCommandContext,
): Promise<ExecutorResult> {
  const { item, env, workspace } = assignment;
  const planned = await agent.plan({
    description: item.description,
    startedAt: new Date(Number(env.SOURCE_DATE_EPOCH) * 1000),
    turns: item.constraints.max_tool_ops + 1,
  });
  const plan = framePlan(planned, item, workspace.root);
  const kept = assignment.keeper && (await openKept(assignment.keeper, plan, assignment));
  const txnId = kept?.ports.resume?.id ?? randomId();
  const traced = { ...plan, config: { ...plan.config, trace: { ...plan.config.trace, txnId } } };
  const recorder = recordLlm(agent.openLlm(plan));
  const { result, error } = await runSession(traced, assignment, {
    llm: recorder.port,
    sleep,
    program: context.system.executable.command,
    observe: await observer({ agentId: plan.name, txnId }, assignment, context),
    onEntry: ledgerOf(agent, assignment, context),
    kept,
  });
  // The recording lacks the earlier responses of a continued session, so the run cannot be replayed from it.
  const isWhole = kept?.ports.resume === undefined;
  return {
    error,
    usage: sessionUsage(result),
    ...(isWhole && { recording: renderRecording(plan, recorder.read()) }),
  };
}

async function openKept(
  keeper: SessionKeeper,
  plan: AgentPlan,
  assignment: Assignment,
): Promise<ItemSession> {
  const { openItemSession } = await import('./item-session.ts');
  return openItemSession(keeper, plan, assignment);
}

/** The ledger of the home, or the configured one; a failure is only logged, so that the result is kept. */
function ledgerOf(
  { config: { accountingFile } }: LoadedAgent,
  { workspace, onOutput }: Assignment,
  { home }: AgentCommandContext,
): (entry: AccountingEntry) => void {
  return createLedgerWriter(
    () => (accountingFile === undefined ? home.at(LEDGER) : resolve(workspace.base.root, accountingFile)),
    (message) => onOutput('stderr', Buffer.from(`${message}\n`)),
  );
}

/** Replays a recorded run with the recorded responses. A request that differs ends the replay and is returned as the error. */
export async function replayItemAgent(
  recording: string,
  assignment: Assignment,
  context: AgentCommandContext,
): Promise<ExecutorResult> {
  const { plan, ...responses } = parseRecording(recording);
  const diverged = new AbortController();
  let divergence: string | undefined;
  const llm = replayStrictly(responses, (difference) => {
    divergence = difference;
    diverged.abort();
  });
  const { error } = await runSession(
    plan,
    { ...assignment, signal: AbortSignal.any([assignment.signal, diverged.signal]) },
    // A replay does not wait for rate limits.
    {
      llm,
      sleep: async () => undefined,
      program: context.system.executable.command,
      observe: (ports) => ports,
      // Nothing is spent.
      onEntry: () => undefined,
    },
  );
  return { error: divergence ?? error };
}

interface SessionDependencies {
  readonly llm: LlmPort;
  readonly sleep: typeof sleep;
  /** The command line that starts this program. */
  readonly program: readonly string[];
  /** Adds telemetry to the ports of the session. */
  readonly observe: (ports: CallerPorts) => CallerPorts;
  readonly onEntry: (entry: AccountingEntry) => void;
  /** Set if other hosts can continue the session. */
  readonly kept?: ItemSession | undefined;
}

async function runSession(
  plan: AgentPlan,
  assignment: Assignment,
  { llm, sleep: wait, program, observe, onEntry, kept }: SessionDependencies,
): Promise<{ result: AIAgentResult; error: string | undefined }> {
  const { signal, now, onOutput } = assignment;
  const tools = await startWorkspaceTools(program, assignment);
  try {
    const count = { calls: 0 };
    reportEarlier(assignment, kept?.earlier ?? [], count);
    const keep = kept?.tools ?? ((host: ToolHost) => host);
    const opened = openPlan(plan, {
      llm: kept?.llm(llm) ?? llm,
      clock: { now },
      sleep: wait,
      openTools: (each) => [
        keep(
          createWorkspaceHost(tools, assignment, count, each.config.limits.toolResponseMaxBytes),
          each === plan,
        ),
      ],
    });
    const onEvent = (event: SessionEvent): void => {
      log(event, onOutput);
      if (event.type === 'accounting.added') onEntry(event.entry);
    };
    const session = opened.createSession(observe({ signal, onEvent, ...kept?.ports }));
    const result = await session.run();
    await kept?.flush();
    onOutput('stdout', Buffer.from(`${renderReport(result.finalReport)}\n`));
    return { result, error: tools.failure() ?? failureOf(result) };
  } finally {
    await tools.end();
  }
}

/** The session is part of the trace of its run. */
async function observer(
  origin: SessionOrigin,
  { env, onOutput }: Assignment,
  { system, tool }: AgentCommandContext,
): Promise<(ports: CallerPorts) => CallerPorts> {
  const telemetry = await startSessionTelemetry(origin, {
    env: { ...system.env, TRACEPARENT: env.TRACEPARENT },
    fetch: system.fetch,
    version: tool.version,
    warn: (message) => onOutput('stderr', Buffer.from(`${message}\n`)),
  });
  return telemetry?.observe ?? ((ports) => ports);
}

function failureOf({ success, error }: AIAgentResult): string | undefined {
  return success ? undefined : redactText(error ?? 'the session failed without an error message');
}

/** Writes session events to the run's log. */
function log(event: SessionEvent, onOutput: Assignment['onOutput']): void {
  const line = progressLine(event, false);
  if (line !== undefined) onOutput('stderr', Buffer.from(`${line.text}\n`));
}
