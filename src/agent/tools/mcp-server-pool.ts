import { canonicalJson } from '../../base/json.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import type { ServerSource } from '../config/server-source.ts';
import { McpServer, type McpServerDependencies } from './mcp-server.ts';

/** One session's use of a server. */
export interface McpServerLease {
  readonly server: McpServer;
  /** Releases the lease; the last release closes the server. Never throws. */
  readonly release: () => Promise<void>;
}

/** Tool servers shared by the sessions of a process: leases with the same name and settings share one server. */
export class McpServerPool {
  readonly #deps: McpServerDependencies;
  readonly #shared = new Map<string, { readonly server: McpServer; users: number }>();

  constructor(deps: McpServerDependencies) {
    this.#deps = deps;
  }

  lease(name: string, settings: McpServerSettings, source?: ServerSource): McpServerLease {
    const deps = source === undefined ? this.#deps : { ...this.#deps, source };
    if (settings.shared === false) {
      const server = new McpServer(name, settings, deps);
      return { server, release: once(() => server.close()) };
    }
    const key = canonicalJson([name, settings, source?.folder ?? '']);
    const entry = this.#shared.get(key) ?? { server: new McpServer(name, settings, deps), users: 0 };
    this.#shared.set(key, entry);
    entry.users += 1;
    const release = async (): Promise<void> => {
      entry.users -= 1;
      if (entry.users > 0) return;
      this.#shared.delete(key);
      await entry.server.close();
    };
    return { server: entry.server, release: once(release) };
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= action());
}
