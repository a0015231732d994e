import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import type { ToolDefinition, ToolHost } from '../tool-host.ts';
import type { McpTool } from './mcp-dependencies.ts';
import type { McpServer } from './mcp-server.ts';
import { nameTools } from './name-tools.ts';
import type { SelectedServer } from './select-tools.ts';
import type { McpServerLease } from './mcp-server-pool.ts';

/** Creates the host of one server's tools, named `<server>__<tool>` and filtered by its allow and deny lists. */
export function createMcpHost(lease: McpServerLease, { settings, only }: SelectedServer): ToolHost {
  const { server } = lease;
  let named: NamedTools | undefined;
  // Computed from the current list, because a server may change its tools while it runs.
  const current = (): NamedTools => {
    if (named?.source === server.tools) return named;
    const allowed = allowedTools(server, settings).filter(
      ({ name }) => only === undefined || only.includes(name),
    );
    const names = nameTools(
      server.name,
      allowed.map(({ name }) => name),
    );
    named = {
      source: server.tools,
      definitions: allowed.map((tool) => defineTool(server.name, names.get(tool.name) ?? '', tool, settings)),
      originals: new Map([...names].map(([tool, name]) => [name, tool])),
    };
    return named;
  };
  return {
    name: server.name,
    start: async (signal) => {
      await server.start(signal);
      assertToolsExist(server, settings, only ?? []);
    },
    revision: () => server.revision,
    instructions: () => server.instructions,
    listTools: () => current().definitions,
    withheld: () => {
      const { originals } = current();
      const offered = new Set(originals.values());
      const others = server.tools.map(({ name }) => name).filter((name) => !offered.has(name));
      return [...nameTools(server.name, others).values()];
    },
    call: async (name, args, context) => {
      const tool = current().originals.get(name);
      if (tool === undefined) return { ok: false, reason: `unknown tool ${name}` };
      return server.call(tool, args, context);
    },
    close: () => lease.release(),
  };
}

interface NamedTools {
  /** The list of the server that the rest is made from. */
  readonly source: readonly McpTool[];
  readonly definitions: readonly ToolDefinition[];
  /** The names of the server by those that models see. */
  readonly originals: ReadonlyMap<string, string>;
}

function allowedTools(server: McpServer, settings: McpServerSettings): readonly McpTool[] {
  const { toolsAllowed = ['*'], toolsDenied = [] } = settings;
  return server.tools.filter(({ name }) => matches(toolsAllowed, name) && !matches(toolsDenied, name));
}

/** A misspelled name would select nothing, or deny nothing. */
function assertToolsExist(
  { name: server, tools }: McpServer,
  { toolsAllowed = [], toolsDenied = [] }: McpServerSettings,
  only: readonly string[],
): void {
  const known = tools.map(({ name }) => name);
  for (const [field, names] of Object.entries({ tools: only, toolsAllowed, toolsDenied })) {
    const unknown = names.find((name) => !name.includes('*') && !known.includes(name));
    if (unknown === undefined) continue;
    const suggestion = nearest(unknown, known);
    throw new Fault('E_NOT_FOUND', `the server has no tool ${unknown}, which ${field} names`, {
      hint: suggestion === undefined ? `Its tools: ${known.join(', ')}.` : `Did you mean ${suggestion}?`,
      details: { kind: 'tools', field, server, name: unknown, known },
    });
  }
}

/** Returns whether a name matches one of the patterns; `*` matches any text. */
function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.includes('*') ? wildcard(pattern).test(name) : pattern === name,
  );
}

function wildcard(pattern: string): RegExp {
  const literal = pattern.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll('*', '.*')}$`, 'u');
}

function defineTool(
  server: string,
  name: string,
  tool: McpTool,
  settings: McpServerSettings,
): ToolDefinition {
  return {
    name,
    description: tool.description ?? tool.title ?? '',
    inputSchema: tool.inputSchema as JsonObject,
    origin: { kind: 'mcp', server },
    repeatable: tool.annotations?.readOnlyHint === true || tool.annotations?.idempotentHint === true,
    ...(settings.queue !== undefined && { queue: settings.queue }),
    ...(settings.toolTimeoutMs !== undefined && { timeoutMs: settings.toolTimeoutMs }),
    ...(settings.toolResponseMaxBytes !== undefined && { responseMaxBytes: settings.toolResponseMaxBytes }),
  };
}
