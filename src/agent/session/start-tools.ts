import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import type { ErrorKind } from '../agent-result.ts';
import type { ToolDefinition, ToolHost } from '../tool-host.ts';
import { linkAbort, raceAbort } from '../../base/race-abort.ts';
import type { ToolQueues } from '../tools/tool-queues.ts';
import { schemaChecks } from '../tools/schema-checks.ts';
import type { AvailableTool, SessionScope } from './session-scope.ts';

/** A tool server decides how many tools it lists. */
const MAX_TOOLS = 1000;

/** A session could not start its tools. */
export class ToolStartError extends Error {
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Starts every host and validates its tools, so that problems surface before the first turn. */
export async function startTools(
  hosts: readonly ToolHost[],
  queues: ToolQueues,
  signal: AbortSignal,
  log: SessionScope['log'],
): Promise<Map<string, AvailableTool>> {
  await startHosts(hosts, signal);
  const tools = new Map<string, AvailableTool>();
  for (const host of hosts) {
    for (const definition of host.listTools()) {
      const first = tools.get(definition.name);
      if (first !== undefined) {
        handleDuplicate(definition, [first.host, host], log);
        continue;
      }
      checkDefinition(definition, queues);
      tools.set(definition.name, { definition, host });
      if (tools.size > MAX_TOOLS)
        throw new ToolStartError('tools', `There are more than ${MAX_TOOLS} tools.`);
    }
  }
  return tools;
}

/** A server that lists a tool twice keeps the first. Two hosts with one name are a mistake in the configuration. */
function handleDuplicate(
  { name, origin }: ToolDefinition,
  [first, second]: readonly [ToolHost, ToolHost],
  log: SessionScope['log'],
): void {
  if (first !== second)
    throw new ToolStartError('config', `Duplicate tool name: ${name}, of ${first.name} and ${second.name}.`);
  if (origin.kind !== 'mcp') throw new ToolStartError('config', `Duplicate tool name: ${name}.`);
  log('WRN', `The tool server ${first.name} lists ${name} more than once; only the first is used.`);
}

/** Starts hosts in parallel. When one fails, the others are aborted and awaited, because no host may be closed while it is starting. */
async function startHosts(hosts: readonly ToolHost[], signal: AbortSignal): Promise<void> {
  const controller = new AbortController();
  const unlink = linkAbort(signal, controller);
  let failure: unknown;
  await Promise.all(
    hosts.map(async (host) => {
      try {
        await startHost(host, controller.signal);
      } catch (error) {
        failure ??= error;
        controller.abort(error);
      }
    }),
  );
  unlink();
  if (failure !== undefined) throw failure;
}

async function startHost(host: ToolHost, signal: AbortSignal): Promise<void> {
  try {
    await raceAbort(host.start(signal), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const message = errorMessage(error);
    if (error instanceof Fault && error.details.kind === 'schema')
      throw new ToolStartError('schema', error.message, error);
    const problem = `The tools of ${host.name} are unavailable: ${message}`;
    const hint = error instanceof Fault ? error.hint : undefined;
    throw new ToolStartError(
      'tools',
      hint === undefined ? problem : `${endSentence(problem)} ${hint}`,
      error,
    );
  }
}

function endSentence(text: string): string {
  return /[.?!]$/u.test(text) ? text : `${text}.`;
}

/** Throws for a tool that no request may contain. */
export function checkDefinition(
  { name, queue = 'default', inputSchema }: ToolDefinition,
  queues: ToolQueues,
): void {
  if (!queues.has(queue)) {
    throw new ToolStartError('config', `Tool ${name} uses the unknown queue "${queue}".`);
  }
  try {
    schemaChecks.assertSchema(inputSchema);
  } catch (error) {
    throw new ToolStartError(
      'schema',
      `The input schema of tool ${name} is invalid: ${String(error)}`,
      error,
    );
  }
}
