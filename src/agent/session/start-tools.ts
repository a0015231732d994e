import type { ErrorKind } from '../agent-result.ts';
import type { ToolDefinition, ToolHost } from '../tool-host.ts';
import { followSignal, raceAbort } from '../race-abort.ts';
import type { ToolQueues } from '../tools/tool-queues.ts';
import { schemaChecks } from '../tools/schema-checks.ts';
import type { OfferedTool } from './session-scope.ts';

/** Why a session could not begin. */
export class StartFailure extends Error {
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Starts every host and collects what they offer; anything that is wrong with it is found here and not in the middle of the work. */
export async function startTools(
  hosts: readonly ToolHost[],
  queues: ToolQueues,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, OfferedTool>> {
  await startHosts(hosts, signal);
  const tools = new Map<string, OfferedTool>();
  for (const host of hosts) {
    for (const definition of host.listTools()) {
      if (tools.has(definition.name)) {
        throw new StartFailure('config', `Two tools have the name ${definition.name}.`);
      }
      checkDefinition(definition, queues);
      tools.set(definition.name, { definition, host });
    }
  }
  return tools;
}

/** When one fails the others are told to give up, and are waited for: nothing may still be starting when everything is closed. */
async function startHosts(hosts: readonly ToolHost[], signal: AbortSignal): Promise<void> {
  const controller = new AbortController();
  const leave = followSignal(signal, controller);
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
  leave();
  if (failure !== undefined) throw failure;
}

async function startHost(host: ToolHost, signal: AbortSignal): Promise<void> {
  try {
    await raceAbort(host.start(signal), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new StartFailure('tools', `The tools of ${host.name} cannot be had: ${message}`, error);
  }
}

function checkDefinition({ name, queue = 'default', inputSchema }: ToolDefinition, queues: ToolQueues): void {
  if (!queues.has(queue)) {
    throw new StartFailure(
      'config',
      `The tool ${name} is bound to the queue ${queue}, which does not exist.`,
    );
  }
  try {
    schemaChecks.assertSchema(inputSchema);
  } catch (error) {
    throw new StartFailure('schema', `The schema of the tool ${name} is invalid: ${String(error)}`, error);
  }
}
