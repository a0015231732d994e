import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { redactText } from '../../base/redact.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import type { ToolOutcome } from '../tool-host.ts';
import { connectMcp, type McpConnection } from './mcp-connection.ts';
import { renderMcpResult } from './mcp-content.ts';
import type { McpDependencies } from './mcp-dependencies.ts';

/** What a server says of one of its tools. */
export interface McpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

export interface McpServerDependencies extends McpDependencies {
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How long a server may take to show that it still listens, after one of its tools did not come back. */
const PROBE_MS = 5000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The session decides how long a call may take; the library wants a number all the same. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * A tool server for as long as somebody uses it. It is down → starting → up → down: a server that dies is started again by the next
 * call, after a pause that doubles with each failure in a row; one that no longer answers a probe is ended first.
 */
export class McpServer {
  readonly name: string;
  readonly #settings: McpServerSettings;
  readonly #deps: McpServerDependencies;
  readonly #closing = new AbortController();
  #connection: McpConnection | undefined;
  #starting: Promise<McpConnection> | undefined;
  #tools: readonly McpTool[] = [];
  #failures = 0;
  #probing = false;

  constructor(name: string, settings: McpServerSettings, deps: McpServerDependencies) {
    this.name = name;
    this.#settings = settings;
    this.#deps = deps;
  }

  /** The tools it had when it was last started. */
  get tools(): readonly McpTool[] {
    return this.#tools;
  }

  /** Starts it the first time; a failure is the caller's. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#connect(signal);
  }

  /** Contract: never throws. */
  async call(tool: string, args: JsonObject, signal: AbortSignal): Promise<ToolOutcome> {
    let connection: McpConnection | undefined;
    try {
      connection = await this.#connect(signal);
      const result = await connection.client.callTool(
        { name: tool, arguments: args },
        { signal, timeout: NO_TIMEOUT_MS },
      );
      this.#failures = 0;
      const text = renderMcpResult(result);
      return result.isError === true
        ? { ok: false, reason: text || 'the tool gave no reason' }
        : { ok: true, text };
    } catch (error) {
      if (signal.aborted && connection !== undefined) void this.#probe(connection);
      return { ok: false, reason: await this.#explain(error, connection) };
    }
  }

  /** Ends it for good. Contract: never throws; nothing of its process tree is left. */
  async close(): Promise<void> {
    this.#closing.abort(new Fault('E_INTERRUPTED', `The tool server ${this.name} is closed.`));
    await this.#starting?.catch(() => undefined);
    await this.#connection?.close();
    this.#connection = undefined;
  }

  /** One start at a time, however many calls wait for it. It outlives the caller that asked first: others may wait too. */
  async #connect(signal: AbortSignal): Promise<McpConnection> {
    this.#closing.signal.throwIfAborted();
    if (this.#connection !== undefined) return this.#connection;
    this.#starting ??= this.#open().finally(() => {
      this.#starting = undefined;
    });
    const { promise: gaveUp, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#starting.catch(() => undefined);
    try {
      signal.throwIfAborted();
      return await Promise.race([this.#starting, gaveUp]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #open(): Promise<McpConnection> {
    const { signal } = this.#closing;
    if (this.#failures > 0) {
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS);
      await this.#deps.sleep(pause, signal);
    }
    try {
      const connection = await connectMcp(this.name, this.#settings, this.#deps, signal);
      this.#connection = connection;
      this.#tools = connection.tools;
      void this.#watch(connection);
      return connection;
    } catch (error) {
      this.#failures += 1;
      throw error;
    }
  }

  async #watch(connection: McpConnection): Promise<void> {
    await connection.lost;
    this.#failures += 1;
    if (this.#connection === connection) this.#connection = undefined;
  }

  /** A call did not come back: a server that is merely slow answers this, one that hangs is ended so that the next call gets a new one. */
  async #probe(connection: McpConnection): Promise<void> {
    const probe = this.#settings.healthProbe ?? 'ping';
    if (this.#probing || probe === 'none' || this.#closing.signal.aborted) return;
    this.#probing = true;
    const options = { timeout: PROBE_MS, signal: this.#closing.signal };
    try {
      if (probe === 'ping') await connection.client.ping(options);
      else await connection.client.listTools(undefined, { ...options, cacheMode: 'bypass' });
      this.#failures = 0;
    } catch {
      if (!this.#closing.signal.aborted) await connection.close();
    } finally {
      this.#probing = false;
    }
  }

  async #explain(error: unknown, connection: McpConnection | undefined): Promise<string> {
    if (connection !== undefined && this.#connection !== connection && !this.#closing.signal.aborted)
      return `the tool server ${this.name} is gone: ${await connection.lost}`;
    return redactText(error instanceof Error ? error.message : String(error));
  }
}
