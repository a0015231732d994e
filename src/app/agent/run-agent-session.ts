import { resolve } from 'node:path';
import { appendLedger } from '../../agent/accounting/append-ledger.ts';
import { llmTotals } from '../../agent/accounting/llm-totals.ts';
import type { AccountingEntry } from '../../agent/accounting-entry.ts';
import type { AIAgentResult, ErrorKind } from '../../agent/agent-result.ts';
import { renderReport } from '../../agent/report/render-report.ts';
import { writeSnapshot } from '../../agent/session/write-snapshot.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { redactText } from '../../base/redact.ts';
import type { CommandContext } from '../../contract/command.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import type { AgentParameters, ReadyAgent } from './agent-call.ts';
import { progressLine } from './agent-progress.ts';

/** What a run came to, as commands answer it. */
export interface AgentRun {
  readonly session_id: string;
  readonly report: JsonObject;
  /** The report as text, the way the `ai-agent` executable prints it. */
  readonly report_text: string;
  readonly turns: number;
  readonly tool_calls: number;
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number };
  readonly cost_usd: number;
}

export interface RunAgentParameters extends AgentParameters {
  readonly verbose?: boolean;
  readonly accounting?: string | undefined;
}

/**
 * Runs a prepared agent to its end, telling what happens, and keeps what it used. A session that failed is a fault that carries its
 * report: nothing that was gathered is lost.
 */
export async function runAgent(
  { agent, config }: ReadyAgent,
  params: RunAgentParameters,
  context: CommandContext,
): Promise<AgentRun> {
  const snapshots = context.home.at('sessions');
  const session = agent.createSession({
    signal: context.signal,
    saveSnapshot: (snapshot) => {
      writeSnapshot(snapshots, snapshot);
    },
    onEvent: (event) => {
      const line = progressLine(event, params.verbose === true);
      if (line !== undefined) context.progress(line.text);
    },
  });
  const { cwd } = context.system;
  let isNoted = false;
  const noteDown = (result: AIAgentResult): void => {
    if (isNoted) return;
    isNoted = true;
    const ledger = params.accounting ?? config.accountingFile;
    keep(context, 'the accounting', () =>
      appendLedger(
        ledger === undefined ? `${context.home.folder()}/accounting.jsonl` : resolve(cwd, ledger),
        result.accounting,
      ),
    );
    const { record } = params;
    if (record !== undefined)
      keep(context, 'the recording', () => writeFileDurably(resolve(cwd, record), agent.recording()));
  };
  context.lastWords(() => {
    const result = session.resultSoFar();
    noteDown(result);
    const error = 'The session was interrupted, and not everything it had started was closed.';
    return failed({ ...result, error, errorKind: 'aborted' }, describeRun(result));
  });
  const result = await session.run();
  noteDown(result);
  const run = describeRun(result);
  if (result.success) return run;
  throw failed(result, run);
}

/** The session is done and paid for; what cannot be noted down about it is told, and its answer given all the same. */
function keep(context: CommandContext, what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    context.warn(`${what} could not be kept: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function describeRun(result: AIAgentResult): AgentRun {
  const { accounting, finalReport } = result;
  return {
    session_id: result.txnId,
    report: { ...finalReport },
    report_text: redactText(renderReport(finalReport)),
    turns: result.turns,
    tool_calls: accounting.filter((entry: AccountingEntry) => entry.type === 'tool').length,
    ...llmTotals(accounting),
  };
}

const HINTS: Readonly<Partial<Record<ErrorKind, string>>> = {
  auth: 'Check the key of the provider.',
  quota: 'Check the account at the provider, or use another one.',
  tools: 'Check the tool servers with "deed agent tools".',
};

function failed(result: AIAgentResult, run: AgentRun): Fault {
  const kind = result.errorKind ?? 'session';
  const message = result.error ?? 'The agent came to no answer.';
  return new Fault(kind === 'aborted' ? 'E_INTERRUPTED' : 'E_AGENT_FAILED', redactText(message), {
    hint: HINTS[kind] ?? 'The report tells what was gathered.',
    details: { kind, ...run },
  });
}
