import type { JsonObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import type { FailureReason, FinalReport } from '../agent-result.ts';
import type { Message } from '../conversation.ts';
import type { OutputFormat } from '../session-config.ts';
import { slackFromText } from './slack-messages.ts';

/** What is known when a session has no report. */
export interface FailureFacts {
  readonly reason: FailureReason;
  /** What happened, in one sentence. */
  readonly message: string;
  readonly turnsCompleted: number;
  readonly reportAttempts: number;
  readonly lastStopReason: string | undefined;
  /** What the model said last that was no report. */
  readonly gatheredText: string | undefined;
  readonly conversation: readonly Message[];
}

/** How much of what tools returned goes into a report. */
const TOOL_RESULTS = 5;
const TOOL_RESULT_CHARACTERS = 800;

/** Makes up the report of a session that has none: why, and what was gathered until then. */
export function createFailureReport(facts: FailureFacts, format: OutputFormat, ts: number): FinalReport {
  const metadata: JsonObject = {
    reason: facts.reason,
    turns_completed: facts.turnsCompleted,
    final_report_attempts: facts.reportAttempts,
    last_stop_reason: facts.lastStopReason ?? null,
  };
  return { status: 'failure', format, ...renderContent(facts, format), metadata, ts };
}

function renderContent(facts: FailureFacts, format: OutputFormat): Partial<FinalReport> {
  const results = gatherResults(facts.conversation);
  const said = facts.gatheredText ?? lastWords(facts.conversation);
  if (format === 'json') {
    return {
      content_json: {
        status: 'failure',
        reason: facts.reason,
        message: facts.message,
        text: said ?? null,
        tool_results: results,
      },
    };
  }
  const text = [
    `The task was not completed: ${facts.message}`,
    ...(said === undefined ? [] : [`What the model said last:\n\n${said}`]),
    ...(results.length === 0
      ? []
      : [
          `What the tools returned last:\n\n${results.map(({ tool, text: said }) => `${tool}: ${said}`).join('\n\n')}`,
        ]),
  ].join('\n\n');
  return format === 'slack-block-kit' ? { messages: slackFromText(text) } : { content: text };
}

/** What a model said beside its tool calls is often all that it came to. */
function lastWords(conversation: readonly Message[]): string | undefined {
  const last = conversation.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '');
  return last?.content.trim();
}

function gatherResults(conversation: readonly Message[]): { tool: string; text: string }[] {
  return conversation
    .flatMap((message) => readResult(message) ?? [])
    .slice(-TOOL_RESULTS)
    .map(({ tool, text }) => ({ tool, text: excerpt(text, TOOL_RESULT_CHARACTERS) }));
}

function readResult(message: Message): { tool: string; text: string } | undefined {
  if (message.role === 'tool') {
    return message.content.startsWith('(tool failed:')
      ? undefined
      : { tool: message.toolName, text: message.content };
  }
  return message.role === 'user' && message.content.startsWith('System Notice: tool response for')
    ? { tool: 'tools', text: message.content }
    : undefined;
}
