import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { serverAddress } from '../config/check-server.ts';
import type { McpServerSettings, RestToolSettings } from '../config/config-schema.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { ServerSource } from '../config/server-source.ts';

export interface SelectedServer {
  readonly settings: McpServerSettings;
  /** The files that configure it. */
  readonly source?: ServerSource;
  /** Individually selected tools; the server's allow and deny lists still apply. */
  readonly only?: readonly string[];
}

/** The tool servers and REST tools of a session. */
export interface SelectedTools {
  readonly servers: Readonly<Record<string, SelectedServer>>;
  readonly restTools: Readonly<Record<string, RestToolSettings>>;
}

/**
 * Resolves a list of names: a server with all its tools, one tool of a server as `server__tool`, or a REST tool with or without
 * `rest__`. Throws a Fault for an unknown name.
 */
export function selectTools(config: LoadedConfig, names: readonly string[]): SelectedTools {
  const servers: Record<string, SelectedServer> = {};
  const restTools: Record<string, RestToolSettings> = {};
  const selected = new Map<string, Set<string> | 'all'>();
  for (const name of names) {
    const [server, tool] = splitOnce(name, '__');
    const rest = name.replace(/^rest__/u, '');
    if (config.serverNames.includes(name)) selected.set(name, 'all');
    else if (config.restToolNames.includes(rest)) restTools[rest] = config.restTool(rest);
    else if (tool !== undefined && config.serverNames.includes(server)) {
      const tools = selected.get(server) ?? new Set();
      if (tools !== 'all') selected.set(server, tools.add(tool));
    } else throw unknownTool(name, [...config.serverNames, ...config.restToolNames]);
  }
  for (const [name, tools] of selected) {
    const settings = config.server(name);
    if (settings.enabled === false) throw disabledServer(name);
    serverAddress(name, settings);
    const source = config.serverSource(name);
    servers[name] = { settings, source, ...(tools !== 'all' && { only: [...tools] }) };
  }
  return { servers, restTools };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + separator.length)];
}

function unknownTool(name: string, known: readonly string[]): Fault {
  const suggestion = nearest(name, known);
  return new Fault('E_NOT_FOUND', `Unknown tool server or REST tool: "${name}".`, {
    hint: suggestion
      ? `Did you mean ${suggestion}?`
      : `Known: ${known.join(', ') || 'none; add one to mcpServers in .ai-agent.json'}.`,
    details: { field: 'tools', name, known, ...(suggestion && { suggestion }) },
  });
}

function disabledServer(name: string): Fault {
  return new Fault('E_NOT_FOUND', `The tool server ${name} is disabled.`, {
    hint: `Set mcpServers.${name}.enabled to true.`,
    details: { field: 'tools', name },
  });
}
