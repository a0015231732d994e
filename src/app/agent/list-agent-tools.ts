import { createMcpHost } from '../../agent/tools/mcp-tool-host.ts';
import { McpServerPool } from '../../agent/tools/mcp-server-pool.ts';
import { createRestHost } from '../../agent/tools/rest-host.ts';
import { selectTools } from '../../agent/tools/select-tools.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CommandContext } from '../../contract/command.ts';
import { agentConfig, agentDependencies } from './agent-dependencies.ts';

export interface ListedTool {
  readonly name: string;
  readonly server: string;
  readonly kind: string;
  readonly queue: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

/** Starts tool servers, lists their tools, and closes them, also on failure. */
export async function listAgentTools(
  params: { readonly tools?: readonly string[] | undefined; readonly config?: string | undefined },
  context: CommandContext,
): Promise<readonly ListedTool[]> {
  const config = agentConfig(context, params.config, undefined);
  for (const warning of config.warnings) context.warn(warning);
  const enabled = config.serverNames.filter((name) => config.server(name).enabled !== false);
  const { servers, restTools } = selectTools(config, params.tools ?? [...enabled, ...config.restToolNames]);
  const system = agentDependencies(context);
  const pool = new McpServerPool(system);
  const hosts = [
    ...Object.entries(servers).map(([name, server]) =>
      createMcpHost(pool.lease(name, server.settings, server.source), server),
    ),
    createRestHost(restTools, system.fetch),
  ];
  try {
    await Promise.all(hosts.map((host) => host.start(context.signal)));
    return hosts
      .flatMap((host) => host.listTools())
      .map(({ name, description, inputSchema, origin, queue }) => ({
        name,
        server: origin.server,
        kind: origin.kind,
        queue: queue ?? 'default',
        description,
        input_schema: inputSchema,
      }));
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
  }
}
