import type { ToolHost } from '../../agent/tool-host.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { Assignment } from '../../work/executors/executor.ts';
import { TOOL_DESCRIPTIONS } from '../../work/workspace/tools/tool-descriptions.ts';
import type { EarlierCall } from './item-session.ts';
import { TOOL_PREFIX, TOOL_SERVER } from './tool-prefix.ts';
import type { WorkspaceTools } from './start-workspace-tools.ts';

/**
 * Creates the host of the workspace tools. Every call is an operation of the run and is reported to its guard before it starts; a call
 * that the guard rejects is not executed. The tool process belongs to the run, so `close` does nothing.
 */
export function createWorkspaceHost(
  tools: WorkspaceTools,
  { onTool, now, signal }: Assignment,
  count: { calls: number },
  maxBytes: number,
): ToolHost {
  return {
    name: TOOL_SERVER,
    start: async () => {},
    close: async () => {},
    listTools: () =>
      TOOL_DESCRIPTIONS.map(({ name, description, inputSchema }) => ({
        name: `${TOOL_PREFIX}${name}`,
        description,
        inputSchema,
        origin: { kind: 'internal', server: TOOL_SERVER },
      })),
    call: async (name, args, context) => {
      count.calls += 1;
      const call = { id: `call-${count.calls}`, name, input: args, startTime: timeOf(now()) };
      onTool({ ...call, status: 'pending' });
      const reply = signal.aborted
        ? ({ ok: false, reason: 'aborted' } as const)
        : await tools.call(name.slice(TOOL_PREFIX.length), args, maxBytes, context.signal);
      const ended = { ...call, endTime: timeOf(now()) };
      if (reply.ok) onTool({ ...ended, output: reply.text, status: 'success' });
      else onTool({ ...ended, status: 'error', error: reply.reason });
      return reply;
    },
  };
}

/** Reports calls that an earlier attempt completed: they count for the limits of the run, and are in its receipt. */
export function reportEarlier(
  { onTool }: Pick<Assignment, 'onTool'>,
  earlier: readonly EarlierCall[],
  count: { calls: number },
): void {
  for (const { tool: name, arguments: text, startedAt, endedAt, ok, text: reply } of earlier) {
    count.calls += 1;
    const call = {
      id: `call-${count.calls}`,
      name,
      input: parseArguments(text),
      startTime: timeOf(startedAt),
    };
    onTool({ ...call, status: 'pending' });
    const ended = { ...call, endTime: timeOf(endedAt) };
    onTool(ok ? { ...ended, output: reply, status: 'success' } : { ...ended, status: 'error', error: reply });
  }
}

function parseArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

function timeOf(now: number): string {
  return new Date(now).toISOString();
}
