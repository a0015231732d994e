import {
  InMemoryServerEventBus,
  ResourceNotFoundError,
  type Server,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { createChangeFeed, type ChangeFeed, type Changes } from '../../app/change-feed.ts';
import { toFault } from '../../contract/exit-code.ts';
import type { CommandTable } from '../../contract/command.ts';
import type { McpHost } from './mcp-host.ts';
import { resolveResource } from './resources.ts';

/** The resources that a change affects. */
export function changedResources({ tasks, runs }: Changes): string[] {
  return [
    ...(tasks.length > 0 ? ['deed://tasks'] : []),
    ...tasks.map((id) => `deed://tasks/${id}`),
    ...(runs.length > 0 ? ['deed://runs', 'deed://receipts'] : []),
    ...runs.flatMap((id) => [`deed://runs/${id}`, `deed://receipts/${id}`]),
  ];
}

/**
 * Notifies the client of one connection. In the 2025 protocol the client subscribes to each resource with a request, handled here; in the
 * 2026 protocol the SDK handles subscriptions and filters what is sent.
 */
export function notifySubscriber(server: Server, era: 'legacy' | 'modern', host: McpHost): ChangeFeed {
  const subscribed = new Set<string>();
  const feed = createChangeFeed(host, (changes) => {
    for (const uri of changedResources(changes)) {
      if (era === 'legacy' && !subscribed.has(uri)) continue;
      server.sendResourceUpdated({ uri }).catch((error: unknown) => host.warn(toFault(error).message));
    }
  });
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
      assertResource(uri, host.table);
      subscribed.add(uri);
      await feed.start();
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
      subscribed.delete(uri);
      if (subscribed.size === 0) feed.stop();
      return {};
    });
  }
  return feed;
}

/** A subscription to a mistyped URI would stay silent. An id that does not exist yet is accepted. */
function assertResource(uri: string, table: CommandTable): void {
  try {
    resolveResource(uri, table);
  } catch (error) {
    throw new ResourceNotFoundError(uri, toFault(error).message);
  }
}

/** The source of notifications for all HTTP clients; changes are only looked for while a client listens. */
export function createChangeBus(host: McpHost): ServerEventBus {
  const bus = new InMemoryServerEventBus((error) => host.warn(error.message));
  const feed = createChangeFeed(host, (changes) => {
    for (const uri of changedResources(changes)) bus.publish({ kind: 'resource_updated', uri });
  });
  return {
    publish: (event) => bus.publish(event),
    subscribe: (listener) => {
      const end = bus.subscribe(listener);
      void feed.start();
      return () => {
        end();
        if (bus.listenerCount === 0) feed.stop();
      };
    },
  };
}
