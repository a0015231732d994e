import { resolve } from 'node:path';
import { errorMessage } from '../../base/error-message.ts';
import { countToolCalls } from '../../agent/accounting/tool-calls.ts';
import { llmTotals } from '../../agent/accounting/llm-totals.ts';
import type { AccountingEntry } from '../../agent/accounting-entry.ts';
import type { AIAgentResult } from '../../agent/agent-result.ts';
import { renderReport } from '../../agent/report/render-report.ts';
import type { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { cleanIfDue } from '../retention/clean-if-due.ts';
import type { CommandContext } from '../../contract/command.ts';
import { writeOutputFile } from '../../system/write-output-file.ts';
import type { AgentParameters, PreparedCall } from './prepare-agent-call.ts';
import { openEventFile } from './event-file.ts';
import { LEDGER } from './ledger-files.ts';
import { assertAccountingFile, createLedgerWriter } from './ledger-writer.ts';
import { progressLine } from './agent-progress.ts';
import { resumeCommand, sessionFault } from './session-fault.ts';

/** The result of a session in command output. */
export interface AgentRun {
  readonly session_id: string;
  readonly report: JsonObject;
  /** The report as text, as the `ai-agent` executable prints it. */
  readonly report_text: string;
  readonly turns: number;
  readonly tool_calls: number;
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number };
  readonly cost_usd: number;
}

export interface RunAgentParameters extends AgentParameters {
  readonly verbose?: boolean;
  readonly accounting?: string | undefined;
  readonly events?: string | undefined;
}

/**
 * Runs a prepared agent, reports its progress and saves its accounting. Throws a Fault with the report in its details when the session
 * fails, so that no results are lost.
 */
export async function runAgentSession(
  { agent, config }: PreparedCall,
  params: RunAgentParameters,
  context: CommandContext,
): Promise<AgentRun> {
  const { cwd } = context.system;
  if (params.accounting !== undefined) assertAccountingFile(resolve(cwd, params.accounting));
  const writeEntry = accountingWriter(params.accounting, config.accountingFile, context);
  const events = params.events === undefined ? undefined : openEventFile(params.events, cwd, context.warn);
  const session = agent.createSession({
    signal: context.signal,
    approvals: {
      approve: params.approve ?? [],
      deny: params.deny ?? [],
      answers: (params.answer ?? {}) as Readonly<Record<string, JsonObject>>,
    },
    resumeCommand: (id) => resumeCommand(context, id),
    onEvent: (event) => {
      events?.write(event);
      if (event.type === 'accounting.added') writeEntry(event.entry);
      const line = progressLine(event, params.verbose === true);
      if (line !== undefined) context.progress(line.text);
    },
  });
  const { limits } = agent.plan.config;
  const fault = (failed: AIAgentResult): Fault => sessionFault(failed, describeRun(failed), limits, context);
  let isSaved = false;
  const saveRecording = (): void => {
    const { record } = params;
    if (isSaved || record === undefined) return;
    isSaved = true;
    save(context, 'recording', () => writeOutputFile(resolve(cwd, record), agent.recording()));
  };
  context.onForcedExit(() => {
    const result = session.resultSoFar();
    saveRecording();
    const error = 'The session was interrupted before all its tools were closed.';
    return fault({ ...result, error, errorKind: 'aborted' });
  });
  const result = await session.run();
  await events?.close();
  saveRecording();
  await cleanIfDue(context);
  if (result.success) return describeRun(result);
  throw fault(result);
}

/** Entries go to the file of this call and always to the ledger, so that the sum of what was spent is complete. */
function accountingWriter(
  given: string | undefined,
  configured: string | undefined,
  { system: { cwd }, home, warn }: CommandContext,
): (entry: AccountingEntry) => void {
  const ledger = (): string =>
    configured === undefined ? `${home.folder()}/${LEDGER}` : resolve(cwd, configured);
  const writers = [createLedgerWriter(ledger, warn)];
  if (given !== undefined && resolve(cwd, given) !== ledger())
    writers.push(createLedgerWriter(() => resolve(cwd, given), warn));
  return (entry) => {
    for (const write of writers) write(entry);
  };
}

/** Saves a file of a finished session. A failure is only a warning, so that the result is still returned. */
function save(context: CommandContext, what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    context.warn(`Cannot save the ${what}: ${errorMessage(error)}`);
  }
}

function describeRun(result: AIAgentResult): AgentRun {
  const { accounting, finalReport } = result;
  const { tokens, costUsd } = llmTotals(accounting);
  return {
    session_id: result.txnId,
    report: { ...finalReport },
    report_text: renderReport(finalReport),
    turns: result.turns,
    tool_calls: countToolCalls(accounting),
    tokens,
    cost_usd: costUsd,
  };
}
