import { errorMessage } from '../../base/error-message.ts';
import type { LogLevel } from '../session-event.ts';
import type { ToolHost } from '../tool-host.ts';
import type { ToolQueues } from '../tools/tool-queues.ts';
import type { AvailableTool } from './session-scope.ts';
import { checkDefinition } from './start-tools.ts';

export interface ToolRefresh {
  readonly hosts: readonly ToolHost[];
  readonly tools: Map<string, AvailableTool>;
  readonly queues: ToolQueues;
  readonly log: (level: LogLevel, message: string) => void;
}

/**
 * Returns a function that updates the tools of hosts whose list has changed. Unlike at the start, an invalid tool does not end the
 * session: it is left out with a warning.
 */
export function createToolRefresh({ hosts, tools, queues, log }: ToolRefresh): () => void {
  const revisions = new Map(hosts.map((host) => [host, host.revision?.()]));
  return () => {
    for (const host of hosts) {
      const revision = host.revision?.();
      if (revision === revisions.get(host)) continue;
      revisions.set(host, revision);
      const before = [...tools].filter(([, tool]) => tool.host === host).map(([name]) => name);
      for (const name of before) tools.delete(name);
      for (const definition of host.listTools()) {
        try {
          if (tools.has(definition.name)) throw new Error(`Duplicate tool name: ${definition.name}.`);
          checkDefinition(definition, queues);
          tools.set(definition.name, { definition, host });
        } catch (error) {
          log('WRN', `Ignoring a new tool of ${host.name}: ${errorMessage(error)}`);
        }
      }
      const after = [...tools].filter(([, tool]) => tool.host === host).map(([name]) => name);
      log('INF', `The tools of ${host.name} have changed: ${describeChange(before, after)}.`);
    }
  };
}

function describeChange(before: readonly string[], after: readonly string[]): string {
  const added = after.filter((name) => !before.includes(name)).map((name) => `+${name}`);
  const removed = before.filter((name) => !after.includes(name)).map((name) => `-${name}`);
  return [...added, ...removed].join(', ') || 'other descriptions';
}
