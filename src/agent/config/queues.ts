import { assertResolved } from './placeholders.ts';
import { unknownName } from './validate-layer.ts';
import type { AgentConfigFile } from './config-schema.ts';
import type { QueueConfig } from '../session-config.ts';

/** Adds the default queue, and throws for a reference to an unknown queue. */
export function completeQueues(
  config: AgentConfigFile,
  defaultConcurrency: number,
  originOf: (path: readonly string[]) => { readonly file: string } | undefined,
): Readonly<Record<string, QueueConfig>> {
  const queues: Record<string, QueueConfig> = {
    default: { concurrent: defaultConcurrency },
    ...config.queues,
  };
  for (const section of ['mcpServers', 'restTools'] as const) {
    for (const [name, { queue }] of Object.entries(config[section] ?? {})) {
      assertResolved(queue);
      if (queue === undefined || Object.hasOwn(queues, queue)) continue;
      const layer = originOf([section, name, 'queue'])?.file;
      throw unknownName(
        `queue for ${section}.${name}${layer === undefined ? '' : ` (${layer})`}`,
        queue,
        Object.keys(queues),
        `Add it to queues, or set the queue of ${name} to one of: ${Object.keys(queues).join(', ')}.`,
      );
    }
  }
  return queues;
}
