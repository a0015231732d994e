import { resolve } from 'node:path';
import { appendLedger } from '../../agent/accounting/append-ledger.ts';
import type { AIAgentResult } from '../../agent/agent-result.ts';
import type { LlmPort } from '../../agent/llm-port.ts';
import { openPlan } from '../../agent/open-plan.ts';
import type { AgentPlan } from '../../agent/plan-agent.ts';
import { playStrictly, recordCassette } from '../../agent/providers/script-cassette.ts';
import { renderReport } from '../../agent/report/render-report.ts';
import type { SessionEvent } from '../../agent/session-event.ts';
import { redactText } from '../../base/redact.ts';
import { sleep } from '../../system/sleep.ts';
import type { Assignment, ExecutorEnd } from '../../work/executors/executor.ts';
import { progressLine } from '../agent/agent-progress.ts';
import type { AgentCommandContext } from '../agent/agent-dependencies.ts';
import { framePlan } from './frame-prompt.ts';
import type { LoadedAgent } from './load-agent.ts';
import { parseRecording, renderRecording } from './run-recording.ts';
import { sessionUsage } from './session-usage.ts';
import { startWorkspaceTools } from './start-workspace-tools.ts';
import { createWorkspaceHost } from './workspace-host.ts';

/** Lets an agent work on an item: its session here, its hands inside the workspace. What its models answer is recorded. */
export async function runItemAgent(
  agent: LoadedAgent,
  assignment: Assignment,
  joint: AgentCommandContext,
): Promise<ExecutorEnd> {
  const { item, env, workspace } = assignment;
  const planned = await agent.plan({
    description: item.description,
    startedAt: new Date(Number(env.SOURCE_DATE_EPOCH) * 1000),
    turns: item.constraints.max_tool_ops + 1,
  });
  const plan = framePlan(planned, item, workspace.root);
  const recorder = recordCassette(agent.openLlm(plan));
  const { result, error } = await runSession(plan, assignment, {
    llm: recorder.port,
    sleep,
    program: joint.system.executable.command,
  });
  keepAccounting(agent, result, assignment, joint);
  return { error, usage: sessionUsage(result), recording: renderRecording(plan, recorder.read()) };
}

/** Does the work of a recorded run again, with the answers of then. A request that was not made then ends it, and is told. */
export async function replayItemAgent(
  recording: string,
  assignment: Assignment,
  joint: AgentCommandContext,
): Promise<ExecutorEnd> {
  const { plan, ...cassette } = parseRecording(recording);
  const diverged = new AbortController();
  let divergence: string | undefined;
  const llm = playStrictly(cassette, (what) => {
    divergence = what;
    diverged.abort();
  });
  const { error } = await runSession(
    plan,
    { ...assignment, signal: AbortSignal.any([assignment.signal, diverged.signal]) },
    // Then somebody had to be waited for.
    { llm, sleep: async () => undefined, program: joint.system.executable.command },
  );
  return { error: divergence ?? error };
}

/** The session is done and paid for; an account that cannot be kept is told in the log, and changes nothing. */
function keepAccounting(
  { config }: LoadedAgent,
  { accounting }: AIAgentResult,
  { workspace, onOutput }: Assignment,
  { home }: AgentCommandContext,
): void {
  const { accountingFile } = config;
  try {
    const path =
      accountingFile === undefined
        ? home.at('accounting.jsonl')
        : resolve(workspace.base.root, accountingFile);
    appendLedger(path, accounting);
  } catch (error) {
    onOutput('stderr', Buffer.from(`the accounting could not be kept: ${String(error)}\n`));
  }
}

interface SessionParts {
  readonly llm: LlmPort;
  readonly sleep: typeof sleep;
  /** How this program is started again. */
  readonly program: readonly string[];
}

async function runSession(
  plan: AgentPlan,
  assignment: Assignment,
  { llm, sleep: wait, program }: SessionParts,
): Promise<{ result: AIAgentResult; error: string | undefined }> {
  const { signal, now, onOutput } = assignment;
  const tools = await startWorkspaceTools(program, assignment);
  try {
    const count = { calls: 0 };
    const opened = openPlan(plan, {
      llm,
      clock: { now },
      sleep: wait,
      openTools: ({ config }) => [
        createWorkspaceHost(tools, assignment, count, config.limits.toolResponseMaxBytes),
      ],
    });
    const session = opened.createSession({ signal, onEvent: (event) => log(event, onOutput) });
    const result = await session.run();
    onOutput('stdout', Buffer.from(`${renderReport(result.finalReport)}\n`));
    return { result, error: tools.failure() ?? failureOf(result) };
  } finally {
    await tools.end();
  }
}

function failureOf({ success, error }: AIAgentResult): string | undefined {
  return success ? undefined : redactText(error ?? 'it came to no answer');
}

/** What happens in the session, for whoever reads the run's log. */
function log(event: SessionEvent, onOutput: Assignment['onOutput']): void {
  const line = progressLine(event, false);
  if (line !== undefined) onOutput('stderr', Buffer.from(`${line.text}\n`));
}
