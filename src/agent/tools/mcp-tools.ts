import type { CallToolResult, Client, ContentBlock, RequestOptions } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import type { McpAction, McpTool } from './mcp-dependencies.ts';

const TEXT = { type: 'string' };

/** The tools that give a model access to resources and prompts, by the capability that the server must have. */
const OFFERED: Readonly<Record<'resources' | 'prompts', readonly McpTool[]>> = {
  resources: [
    readOnlyTool(
      'list-resources',
      'Lists the resources of the server: their addresses, or templates of them.',
      {},
    ),
    readOnlyTool('read-resource', 'Reads a resource of the server.', {
      uri: { ...TEXT, description: 'Its address' },
    }),
  ],
  prompts: [
    readOnlyTool('list-prompts', 'Lists the prompts of the server and their arguments.', {}),
    readOnlyTool(
      'get-prompt',
      'Returns a prompt of the server, filled with these arguments.',
      { name: TEXT, arguments: { type: 'object', additionalProperties: TEXT } },
      ['name'],
    ),
  ],
};

function readOnlyTool(
  action: McpAction,
  description: string,
  properties: JsonObject,
  required = Object.keys(properties),
): McpTool {
  const inputSchema = { type: 'object', properties, ...(required.length > 0 && { required }) };
  const name = action.replace('-', '_');
  return { name, description, inputSchema, annotations: { readOnlyHint: true }, action };
}

/** Lists the tools of a server, and adds tools for its resources and prompts if its settings enable them. */
export async function listMcpTools(
  client: Client,
  settings: McpServerSettings,
  options: RequestOptions,
): Promise<readonly McpTool[]> {
  const capabilities = client.getServerCapabilities();
  // For a server without tools, listTools of the SDK would print a message on standard output.
  const own = capabilities?.tools === undefined ? [] : (await client.listTools(undefined, options)).tools;
  const names = new Set(own.map(({ name }) => name));
  const offered = (['resources', 'prompts'] as const).flatMap((kind) =>
    settings[kind] === true && capabilities?.[kind] !== undefined ? OFFERED[kind] : [],
  );
  // A tool of the server itself has priority.
  return [...own, ...offered.filter(({ name }) => !names.has(name))];
}

/** Calls a tool of a server, or reads its resources and prompts for an added tool. */
export async function callMcpTool(
  client: Client,
  tools: readonly McpTool[],
  call: { readonly name: string; readonly arguments: JsonObject },
  options: RequestOptions,
): Promise<CallToolResult> {
  const action = tools.find(({ name }) => name === call.name)?.action;
  switch (action) {
    case undefined:
      return client.callTool(call, options);
    case 'list-resources': {
      const { resources } = await client.listResources(undefined, options);
      const { resourceTemplates } = await client.listResourceTemplates(undefined, options);
      return asText({ resources, ...(resourceTemplates.length > 0 && { resourceTemplates }) });
    }
    case 'read-resource': {
      const { uri } = call.arguments as { uri: string };
      const { contents } = await client.readResource({ uri }, options);
      return { content: contents.map((resource): ContentBlock => ({ type: 'resource', resource })) };
    }
    case 'list-prompts': {
      const { prompts } = await client.listPrompts(undefined, options);
      return asText({ prompts });
    }
    case 'get-prompt': {
      const { name, arguments: args } = call.arguments as {
        name: string;
        arguments?: Record<string, string>;
      };
      const prompt = { name, ...(args !== undefined && { arguments: args }) };
      const { messages } = await client.getPrompt(prompt, options);
      return { content: messages.map(({ content }) => content) };
    }
  }
}

function asText(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}
