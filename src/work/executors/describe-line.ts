import { isPlainObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import type { AgentConfig } from './agent-config.ts';

type Event = Readonly<Record<string, unknown>>;

/** The maximum length of the description of a tool call and of its result. */
const CALL_CHARACTERS = 200;

/**
 * Renders a line of an agent's output for people: messages, tool calls, failed results, the end. Undefined for an event without
 * such content; a line that is not an event is returned unchanged.
 */
export function describeLine(kind: AgentConfig['kind'] | undefined, line: string): string | undefined {
  if ((kind !== 'claude' && kind !== 'codex') || !line.startsWith('{')) return line;
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return line;
  }
  if (!isPlainObject(event) || typeof event.type !== 'string') return line;
  const described = kind === 'claude' ? describeClaude(event) : describeCodex(event);
  return described.length === 0 ? undefined : described.join('\n');
}

function describeClaude(event: Event): readonly string[] {
  if (event.type === 'system' && event.subtype === 'init')
    return [`session ${text(event.session_id)}, model ${text(event.model)}`];
  if (event.type === 'system' && event.subtype === 'api_retry')
    return [`retry ${text(event.attempt)}: status ${text(event.error_status)}`];
  if (event.type === 'result') return [describeResult(event)];
  return contentOf(event).flatMap((block) => {
    if (block.type === 'text') return [text(block.text)];
    if (block.type === 'tool_use') return [`→ ${text(block.name)} ${describeInput(block.input)}`.trimEnd()];
    return block.type === 'tool_result' ? [`← ${describeOutput(block)}`] : [];
  });
}

function contentOf({ message }: Event): readonly Event[] {
  const content = isPlainObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

function describeResult({
  subtype,
  is_error: isError,
  result,
  num_turns: turns,
  total_cost_usd: cost,
}: Event) {
  const status = isError === true ? `failed: ${text(result) || text(subtype)}` : text(subtype) || 'done';
  return [
    status,
    ...(typeof turns === 'number' ? [`${turns} turns`] : []),
    ...(typeof cost === 'number' ? [`$${cost.toFixed(4)}`] : []),
  ].join(', ');
}

/** The most telling member of a tool's input, otherwise all of it. */
function describeInput(input: unknown): string {
  if (!isPlainObject(input)) return '';
  const main = input.command ?? input.file_path ?? input.path ?? input.pattern ?? input.url ?? input.query;
  return oneLine(typeof main === 'string' ? main : JSON.stringify(input));
}

function describeOutput({ content, is_error: isError }: Event): string {
  const parts = Array.isArray(content) ? content.filter(isPlainObject).map((part) => text(part.text)) : [];
  const output = typeof content === 'string' ? content : parts.join('\n');
  return `${isError === true ? 'error: ' : ''}${oneLine(output)}`;
}

function describeCodex(event: Event): readonly string[] {
  const { item, usage } = event;
  if (event.type === 'thread.started') return [`session ${text(event.thread_id)}`];
  if (event.type === 'error') return [`warning: ${text(event.message)}`];
  if (event.type === 'turn.failed')
    return [`failed: ${isPlainObject(event.error) ? text(event.error.message) : ''}`];
  if (event.type === 'turn.completed')
    return [isPlainObject(usage) ? `done, ${text(usage.output_tokens)} output tokens` : 'done'];
  return isPlainObject(item) ? describeItem(item, event.type === 'item.completed') : [];
}

function describeItem(item: Event, ended: boolean): readonly string[] {
  switch (item.type) {
    case 'agent_message':
      return ended ? [text(item.text)] : [];
    case 'error':
      return [`warning: ${text(item.message)}`];
    case 'command_execution':
      return ended
        ? [`← exit code ${text(item.exit_code)}: ${oneLine(text(item.aggregated_output))}`]
        : [`→ ${oneLine(text(item.command))}`];
    case 'file_change':
      return ended ? [`→ ${pathsOf(item).join(', ')}`] : [];
    case 'mcp_tool_call':
      return ended ? [] : [`→ ${text(item.server)} ${text(item.tool)}`];
    default:
      return [];
  }
}

function pathsOf({ changes }: Event): readonly string[] {
  return Array.isArray(changes)
    ? changes.filter(isPlainObject).map(({ kind, path }) => `${text(kind)} ${text(path)}`.trim())
    : [];
}

function oneLine(value: string): string {
  return excerpt(value.trim().replaceAll(/\s+/gu, ' '), CALL_CHARACTERS);
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
