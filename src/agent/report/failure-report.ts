import type { JsonObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import type { FailureReason, FinalReport } from '../agent-result.ts';
import type { Message } from '../conversation.ts';
import type { OutputFormat } from '../session-config.ts';
import { slackFromText } from './slack-messages.ts';

/** The facts for the report of a session whose model made no report. */
export interface FailureFacts {
  readonly reason: FailureReason;
  /** The failure in one sentence. */
  readonly message: string;
  readonly turnsCompleted: number;
  readonly reportAttempts: number;
  readonly lastStopReason: string | undefined;
  /** The latest model text that is not a report. */
  readonly lastText: string | undefined;
  readonly conversation: readonly Message[];
  /** Whether a text may be shown. */
  readonly mayShow: (text: string) => boolean;
}

/** Limits on tool results in a synthetic report. */
const TOOL_RESULTS = 5;
const TOOL_RESULT_CHARACTERS = 800;
const WITHHELD = '[withheld: a guard does not allow it]';

/** Creates the report of a session whose model made no report: the reason and the results so far. */
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
  const show = (shown: string): string => (facts.mayShow(shown) ? shown : WITHHELD);
  const results = collectResults(facts.conversation).map(({ tool, text }) => ({ tool, text: show(text) }));
  const given = withoutTags(facts.lastText ?? '') || lastAssistantText(facts.conversation);
  const lastText = given === undefined ? undefined : show(given);
  if (format === 'json') {
    return {
      content_json: {
        status: 'failure',
        reason: facts.reason,
        message: facts.message,
        text: lastText ?? null,
        tool_results: results,
      },
    };
  }
  const text = [
    `The task was not completed: ${facts.message}`,
    ...(lastText === undefined ? [] : [`Last model output:\n\n${lastText}`]),
    ...(results.length === 0
      ? []
      : [
          `Last tool results:\n\n${results.map(({ tool, text: output }) => `${tool}: ${output}`).join('\n\n')}`,
        ]),
  ].join('\n\n');
  return format === 'slack-block-kit' ? { messages: slackFromText(text) } : { content: text };
}

/** Returns the last text of the model; text next to tool calls is often the only output. */
function lastAssistantText(conversation: readonly Message[]): string | undefined {
  return conversation
    .map(({ role, content }) => (role === 'assistant' ? withoutTags(content) : ''))
    .findLast((text) => text !== '');
}

/** The tags of the XML transports are not for users: `<ai-agent-<nonce>-FINAL tool="…">`. */
const TAG = /<\/?ai-agent-[0-9a-f]{1,32}-[A-Z0-9]{1,20}[^>]{0,200}>/gu;

function withoutTags(text: string): string {
  return text.replaceAll(TAG, '').trim();
}

interface ToolResult {
  readonly tool: string;
  readonly text: string;
}

function collectResults(conversation: readonly Message[]): ToolResult[] {
  return conversation
    .flatMap(readResults)
    .slice(-TOOL_RESULTS)
    .map(({ tool, text }) => ({ tool, text: excerpt(text, TOOL_RESULT_CHARACTERS) }));
}

/** A frame of the XML transport, with the tool, its status and its response. */
const FRAME =
  /^System Notice: tool response for (\S+) \(([^)\n]*)\)\nstatus: ok\n[^]*?\nresponse, up to \1-END:\n([^]*?)\n\1-END$/gmu;

function readResults(message: Message): readonly ToolResult[] {
  if (message.role === 'user')
    return [...message.content.matchAll(FRAME)].map(([, , tool = '', text = '']) => ({ tool, text }));
  if (message.role !== 'tool' || message.content.startsWith('(tool failed:')) return [];
  return [{ tool: message.toolName, text: message.content }];
}
