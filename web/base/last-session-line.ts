import type { SessionDetail } from './session-steps.ts';

/** The last thing that an agent called, got or wrote, in one line. */
export function lastSessionLine(conversation: SessionDetail['conversation']): string | undefined {
  const message = conversation.findLast(({ role }) => role === 'assistant' || role === 'tool');
  if (message === undefined) return undefined;
  const { role, content, toolName, toolCalls } = message;
  const said = textOf(content).split('\n').at(-1) ?? '';
  if (role === 'tool') return `${textOf(toolName)}: ${said}`;
  const calls = Array.isArray(toolCalls) ? (toolCalls as { readonly name?: unknown }[]) : [];
  return calls.length === 0 ? said : `→ ${calls.map(({ name }) => textOf(name)).join(', ')}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
