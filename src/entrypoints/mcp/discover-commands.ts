import type { JsonObject } from '../../base/json.ts';
import { omit } from '../../base/omit.ts';
import {
  describeCommand,
  describeOutput,
  describeSchemas,
  isCommonError,
} from '../../contract/describe-commands.ts';
import { effectOf, gateOf, type Command } from '../../contract/command.ts';
import { splitCall, toMcpCall } from './mcp-call.ts';
import type { McpHost } from './mcp-host.ts';
import { documentInMcpTerms, toMcpTerms } from './mcp-terms.ts';
import { isOffered, offeredCommand } from './offered-commands.ts';
import { rankCommands } from './rank-commands.ts';

/** Lists the commands that match a query. Those that clients cannot call are listed too, so that a model can refer its user to them. */
export async function findCommands(query: string, host: McpHost): Promise<JsonObject> {
  const found = rankCommands(query, await host.table.loadAll());
  return { commands: await Promise.all(found.map((command) => listCommand(command, host))) };
}

async function listCommand(command: Command, host: McpHost): Promise<JsonObject> {
  return {
    command: command.path,
    summary: await toMcpTerms(command.summary, { host, command }),
    effect: effectOf(command),
    ...(isOffered(command, host.offer)
      ? { gate: mcpGate(command) }
      : { offered: false, run_by: `a person in a terminal: ${host.tool.name} ${command.path}` }),
  };
}

/** Describes one command, with its gate and its examples as tool calls. */
export async function describeOffered(path: string, host: McpHost): Promise<JsonObject> {
  const found = await offeredCommand(path, host);
  const { path: own, description, batch, sort, paging, errors } = describeCommand(found);
  const { $schema: _, ...input } = (await describeSchemas(found)).input as JsonObject;
  const { fields, untrusted_fields } = describeOutput(found);
  const document = {
    path: own,
    description,
    call_with: `call-${effectOf(found)}`,
    gate: mcpGate(found),
    ...(batch && { batch }),
    ...(sort && { sort }),
    ...(paging !== 'none' && { paging }),
    input,
    fields,
    ...(found.keyFields && { key_fields: found.keyFields }),
    ...((untrusted_fields as readonly string[]).length > 0 && { untrusted_fields }),
    errors: errors.filter((code) => !isCommonError(code)),
  };
  const translated = (await documentInMcpTerms(document, { host, command: found })) as JsonObject;
  return { ...translated, examples: await examplesOf(found, host) };
}

/** The arguments of example calls. A journal write needs no token, so its examples for dry run and confirmation become one. */
async function examplesOf(command: Command, host: McpHost): Promise<JsonObject[]> {
  const depth = command.path.split(' ').length;
  const examples = new Map<string, JsonObject>();
  for (const example of command.examples) {
    const call = await toMcpCall(splitCall(example).slice(depth), command, host);
    if (call === undefined) continue;
    const gated =
      mcpGate(command) === 'request_id' ? omit(call.arguments, 'dry_run', 'confirm') : call.arguments;
    examples.set(JSON.stringify(gated), gated);
  }
  return [...examples.values()];
}

function mcpGate(found: Command): string {
  return found.kind === 'write' && found.recall !== undefined ? 'request_id' : gateOf(found);
}
