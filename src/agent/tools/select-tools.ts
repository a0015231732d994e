import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import type { McpServerSettings, RestToolSettings } from '../config/config-schema.ts';
import type { AgentConfig } from '../config/load-config.ts';

export interface SelectedServer {
  readonly settings: McpServerSettings;
  /** The tools that were named one by one; within what the server's own lists allow. */
  readonly only?: readonly string[];
}

/** The servers and REST tools of a session. */
export interface SelectedTools {
  readonly servers: Readonly<Record<string, SelectedServer>>;
  readonly restTools: Readonly<Record<string, RestToolSettings>>;
}

/**
 * Finds what a list of names stands for: a server with all its tools, one tool of a server as `server__tool`, or a REST tool with or
 * without `rest__`. A name that is nothing is a fault before anything starts.
 */
export function selectTools(config: AgentConfig, names: readonly string[]): SelectedTools {
  const servers: Record<string, SelectedServer> = {};
  const restTools: Record<string, RestToolSettings> = {};
  const wanted = new Map<string, Set<string> | 'all'>();
  for (const name of names) {
    const [server, tool] = splitOnce(name, '__');
    const rest = name.replace(/^rest__/u, '');
    if (config.serverNames.includes(name)) wanted.set(name, 'all');
    else if (config.restToolNames.includes(rest)) restTools[rest] = config.restTool(rest);
    else if (tool !== undefined && config.serverNames.includes(server)) {
      const tools = wanted.get(server) ?? new Set();
      if (tools !== 'all') wanted.set(server, tools.add(tool));
    } else throw unknownTool(name, [...config.serverNames, ...config.restToolNames]);
  }
  for (const [name, tools] of wanted) {
    const settings = config.server(name);
    if (settings.enabled === false) throw switchedOff(name);
    servers[name] = tools === 'all' ? { settings } : { settings, only: [...tools] };
  }
  return { servers, restTools };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + separator.length)];
}

function unknownTool(name: string, known: readonly string[]): Fault {
  const suggestion = nearest(name, known);
  return new Fault('E_NOT_FOUND', `There is no tool server or REST tool "${name}".`, {
    hint: suggestion
      ? `Did you mean ${suggestion}?`
      : `Known: ${known.join(', ') || 'none; add one to mcpServers in .ai-agent.json'}.`,
    details: { field: 'tools', name, known, ...(suggestion && { suggestion }) },
  });
}

function switchedOff(name: string): Fault {
  return new Fault('E_NOT_FOUND', `The tool server ${name} is switched off.`, {
    hint: `Set mcpServers.${name}.enabled to true.`,
    details: { field: 'tools', name },
  });
}
