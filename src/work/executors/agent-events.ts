import { isPlainObject } from '../../base/json.ts';
import type { RecordedToolCall } from '../run/run-capsule.ts';

/** The parsed content of one line of an agent's event stream. */
export interface AgentEvent {
  /** Tool calls that started or ended; a call that ended has the id of its start. */
  readonly tools: readonly Omit<RecordedToolCall, 'startTime' | 'endTime'>[];
  /** The agent reported that its work failed. */
  readonly error?: string | undefined;
}

export type EventReader = (line: string) => AgentEvent;

const NOTHING: AgentEvent = { tools: [] };

/** Parses a line of JSON; any other line is ordinary output and is ignored. */
function reader(read: (event: Record<string, unknown>) => AgentEvent): EventReader {
  return (line) => {
    if (!line.startsWith('{')) return NOTHING;
    try {
      const event: unknown = JSON.parse(line);
      return isPlainObject(event) ? read(event) : NOTHING;
    } catch {
      return NOTHING;
    }
  };
}

/** `claude --output-format stream-json`: tool_use blocks of the assistant, their tool_result blocks, and one result. */
export const readClaudeEvent = reader((event) => {
  if (event.type === 'result') {
    const failed = event.is_error === true || (event.subtype !== undefined && event.subtype !== 'success');
    return failed ? { tools: [], error: text(event.result) ?? text(event.subtype) ?? 'failed' } : NOTHING;
  }
  const blocks =
    isPlainObject(event.message) && Array.isArray(event.message.content) ? event.message.content : [];
  return {
    tools: blocks.filter(isPlainObject).flatMap((block): AgentEvent['tools'][number][] => {
      if (block.type === 'tool_use')
        return [
          {
            id: String(block.id),
            name: String(block.name),
            input: block.input ?? null,
            status: 'pending',
          },
        ];
      if (block.type !== 'tool_result') return [];
      const failed = block.is_error === true;
      return [
        {
          id: String(block.tool_use_id),
          name: '',
          input: null,
          output: block.content ?? null,
          status: failed ? 'error' : 'success',
          error: failed ? text(block.content) : undefined,
        },
      ];
    }),
  };
});

/** Item types of codex that are tool calls; messages and reasoning are not. */
const CODEX_TOOLS: ReadonlySet<unknown> = new Set([
  'command_execution',
  'file_change',
  'mcp_tool_call',
  'web_search',
]);

/** `codex exec --json`: items that start and complete, and turns that fail. An `error` is a retry, such as "Reconnecting...", and no failure. */
export const readCodexEvent = reader((event) => {
  if (event.type === 'turn.failed') {
    const cause = isPlainObject(event.error) ? event.error.message : event.message;
    return { tools: [], error: text(cause) ?? 'failed' };
  }
  const { item } = event;
  if (!isPlainObject(item) || !CODEX_TOOLS.has(item.type)) return NOTHING;
  const { id, type, status, ...rest } = item;
  const ended = event.type === 'item.completed';
  const failed = ended && (status === 'failed' || status === 'declined');
  return {
    tools: [
      {
        id: String(id),
        name: String(type),
        input: rest,
        status: failed ? 'error' : ended ? 'success' : 'pending',
        error: failed
          ? `exit code ${typeof item.exit_code === 'number' ? item.exit_code : 'unknown'}`
          : undefined,
      },
    ],
  };
});

/** Lines that a plain command writes to the file named by DEED_EVENTS: `{"name":…,"id"?,"input"?,"output"?,"status"?,"error"?}`. */
export function createReportReader(): EventReader {
  let count = 0;
  return reader((event) => {
    count += 1;
    const status = event.status === 'pending' || event.status === 'error' ? event.status : 'success';
    return {
      tools: [
        {
          id: text(event.id) ?? `event-${count}`,
          name: text(event.name) ?? 'unnamed',
          input: event.input ?? null,
          ...(event.output !== undefined && { output: event.output }),
          status,
          error: text(event.error),
        },
      ],
    };
  });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
