import { FINAL_REPORT } from '../report/report-formats.ts';
import { withAttachments, type Message, type ToolMessage } from '../conversation.ts';
import type { SessionScope } from './session-scope.ts';
import type { SessionState } from './session-state.ts';

/** Adds the further task of a resumed session to its conversation. */
export function appendPrompt(scope: SessionScope): void {
  const { state } = scope;
  if (state.prompt === undefined) return;
  const messages: Message[] = [
    ...resultsOfOpenCalls(scope.conversation),
    { role: 'user', content: state.prompt, ...withAttachments(state.attachments) },
  ];
  state.prompt = undefined;
  state.attachments = [];
  startTask(state);
  for (const message of messages) {
    scope.conversation.push(message);
    scope.contextGuard.append(scope.estimate.message(message));
  }
}

/** What ended the earlier task does not end this one: it has its own report, and the context guard checks the conversation again. */
function startTask(state: SessionState): void {
  state.reportAttempts = 0;
  state.toolBudgetExceeded = false;
  if (state.forcedFinal === 'context' || state.forcedFinal === 'final_report_tool_failed')
    state.forcedFinal = undefined;
}

/** Providers reject a conversation with a tool call that has no result, such as the call with the report. */
function resultsOfOpenCalls(conversation: readonly Message[]): readonly ToolMessage[] {
  const last = conversation.findLastIndex(({ role }) => role === 'assistant');
  const assistant = conversation[last];
  if (assistant?.role !== 'assistant') return [];
  const answered = new Set(
    conversation.slice(last).flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
  );
  return (assistant.toolCalls ?? [])
    .filter(({ id }) => !answered.has(id))
    .map(({ id, name }) => ({
      role: 'tool',
      toolCallId: id,
      toolName: name,
      content: name === FINAL_REPORT ? 'ok' : '(tool failed: not run)',
    }));
}
