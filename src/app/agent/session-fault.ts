import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AIAgentResult, ErrorKind, FailureReason } from '../../agent/agent-result.ts';
import { decisionFlags } from '../../agent/session/waiting-outcome.ts';
import type { SessionLimits } from '../../agent/session-config.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { redactText } from '../../base/secrets/redact.ts';
import type { CommandContext } from '../../contract/command.ts';

const CODES: Readonly<Partial<Record<ErrorKind, string>>> = {
  aborted: 'E_INTERRUPTED',
  config: 'E_CONFIG',
  approval: 'E_HUMAN_REQUIRED',
};

/** Returns the Fault of a session without a report of its model; its details contain the synthetic report. */
export function sessionFault(
  result: AIAgentResult,
  run: object,
  limits: SessionLimits,
  context: CommandContext,
): Fault {
  const kind = result.errorKind ?? 'session';
  const message = result.error ?? 'The session failed without an error message.';
  const resume = continueCommand(result, limits, context);
  return new Fault(CODES[kind] ?? 'E_AGENT_FAILED', redactText(message), {
    ...withHint(hintsOf(result, kind, resume, context)),
    details: {
      kind,
      ...describeApprovals(result),
      ...(resume !== undefined && { resume }),
      ...run,
    },
  });
}

/** Returns the command that continues stored sessions. */
export function resumeCommand({ gate, tool }: Pick<CommandContext, 'gate' | 'tool'>, id: string): string {
  return `${gate === 'open' ? 'ai-agent' : `${tool.name} agent run`} --resume ${id}`;
}

/** What a person needs to decide on the calls that wait. */
function describeApprovals({ approvals }: AIAgentResult): JsonObject {
  if (approvals === undefined) return {};
  return {
    action: approvals.some(({ question }) => question !== undefined)
      ? 'answer_questions'
      : 'approve_tool_calls',
    approvals: approvals.map(({ rule, question, ...call }) => ({
      ...call,
      ...(rule !== undefined && { rule: { ...rule } }),
      ...(question !== undefined && { question: { ...question } }),
    })),
  };
}

/** Reasons after which a session cannot do more than before: its context is full, a hook refused it, or its tools are invalid. */
const FINAL: ReadonlySet<FailureReason> = new Set([
  'tools',
  'context',
  'final_report_tool_failed',
  'refused',
  'internal',
]);

/** The limit to raise, by the reason of the end. A session that has spent a limit would end again at once. */
const LIMITS: Readonly<Partial<Record<FailureReason, readonly [flag: string, limit: keyof SessionLimits]>>> =
  {
    max_turns_exhausted: ['--max-turns', 'maxTurns'],
    max_cost: ['--max-cost-usd', 'maxCostUsd'],
    max_tokens: ['--max-total-tokens', 'maxTotalTokens'],
    max_duration: ['--max-duration-ms', 'maxDurationMs'],
  };

/** Returns the command that continues a session after its failure; undefined if it is not stored, or cannot continue. */
function continueCommand(
  { approvals, finalReport, txnId }: AIAgentResult,
  limits: SessionLimits,
  context: CommandContext,
): string | undefined {
  const reason = finalReport.metadata?.reason as FailureReason;
  if (FINAL.has(reason) || !existsSync(join(context.home.at('sessions'), `${txnId}.jsonl`))) return undefined;
  const command = resumeCommand(context, txnId);
  if (approvals !== undefined) return `${command} ${decisionFlags(approvals)}`;
  const [flag, name] = LIMITS[reason] ?? [];
  const limit = name === undefined ? undefined : limits[name];
  return flag === undefined || limit === undefined ? command : `${command} ${flag} ${limit * 2}`;
}

function hintsOf(
  { conversation, finalReport, error }: AIAgentResult,
  kind: ErrorKind,
  resume: string | undefined,
  { gate, tool }: CommandContext,
): readonly string[] {
  const isOpen = gate === 'open';
  const list = isOpen ? 'ai-agent --list-tools --tools <name>' : `${tool.name} agent tools --tools <name>`;
  const hints: Readonly<Partial<Record<ErrorKind | FailureReason, string>>> = {
    model_not_found:
      'Check the name of the model, and baseUrl of the provider: for an API like that of OpenAI it usually ends in /v1.',
    // A key can be valid while its account is refused, for example in a country that the provider does not serve.
    auth: / HTTP 403: /u.test(error ?? '')
      ? 'The provider denied access. Possible causes: the API key, or its account, which may not use this model, or not from this country.'
      : 'Check the API key of the provider.',
    quota: "Check your account's quota at the provider, or use another provider.",
    approval:
      'Ask a person to run the command in the message; --deny refuses the call or the answer and continues.',
    tools: `To start only one tool server, run "${list}".`,
  };
  const hasResults = conversation.some(({ role }) => role === 'assistant' || role === 'tool');
  const reason = finalReport.metadata?.reason as FailureReason;
  const hint =
    hints[kind] ?? hints[reason] ?? (hasResults ? 'The report contains the results so far.' : undefined);
  const steps = isOpen ? '' : ' --dry-run';
  return [
    ...(hint === undefined ? [] : [hint]),
    ...(resume === undefined || kind === 'approval' ? [] : [`To continue: ${resume}${steps}`]),
  ];
}

function withHint(hints: readonly string[]): { hint?: string } {
  return hints.length === 0 ? {} : { hint: hints.join(' ') };
}
