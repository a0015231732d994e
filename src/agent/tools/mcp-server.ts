import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { raceAbort } from '../../base/race-abort.ts';
import { redactText } from '../../base/secrets/redact.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import { withImages, type ToolOutcome } from '../tool-host.ts';
import { connectMcp, type McpConnection } from './mcp-connection.ts';
import { readMcpImages, renderMcpResult } from './mcp-content.ts';
import type { McpCallContext, McpDependencies, McpTool } from './mcp-dependencies.ts';
import { McpServerRequests } from './mcp-server-requests.ts';
import { hasEndedSession } from './mcp-session-end.ts';
import { callMcpTool, listMcpTools } from './mcp-tools.ts';

export interface McpServerDependencies extends McpDependencies {
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Time for a server to respond to a health probe after a call was cancelled. */
const PROBE_TIMEOUT_MS = 5000;
/** Time for a server to list its tools again after it announced a change. */
const RELIST_TIMEOUT_MS = 5000;
const MIN_RESTART_DELAY_MS = 500;
const MAX_RESTART_DELAY_MS = 30_000;
/** The session enforces the timeout of calls, but the SDK requires a value. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * A tool server while it is in use. States: down → starting → up → down. The next call restarts a server that exited, after a delay
 * that doubles with each consecutive failure; a server that fails its health probe is terminated first.
 */
export class McpServer {
  readonly name: string;
  readonly #settings: McpServerSettings;
  readonly #deps: McpServerDependencies;
  readonly #requests: McpServerRequests;
  readonly #closing = new AbortController();
  #connection: McpConnection | undefined;
  #starting: Promise<McpConnection> | undefined;
  #tools: readonly McpTool[] = [];
  #revision = 0;
  #instructions: string | undefined;
  #failures = 0;
  #probing: Promise<void> | undefined;
  /** Whether the server announced a change since the tools were listed. */
  #stale = false;
  #relisting: Promise<void> | undefined;

  constructor(name: string, settings: McpServerSettings, deps: McpServerDependencies) {
    this.name = name;
    this.#settings = settings;
    this.#requests = new McpServerRequests(settings);
    this.#deps = deps;
  }

  /** The tools listed at the last start, or announced since. */
  get tools(): readonly McpTool[] {
    return this.#tools;
  }

  /** Changes when the list of tools may have changed. */
  get revision(): number {
    return this.#revision;
  }

  /** How to use the tools, in the words of the server. */
  get instructions(): string | undefined {
    return this.#instructions;
  }

  /** Starts the server. Throws when it fails. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#connect(signal);
  }

  /** Calls a tool. Contract: never throws. */
  async call(tool: string, args: JsonObject, context: McpCallContext): Promise<ToolOutcome> {
    return this.#requests.during(context, () => this.#call(tool, args, context.signal));
  }

  async #call(tool: string, args: JsonObject, signal: AbortSignal, isRepeated = false): Promise<ToolOutcome> {
    let connection: McpConnection | undefined;
    try {
      connection = await this.#connect(signal);
      const options = { signal, timeout: NO_TIMEOUT_MS };
      const result = await callMcpTool(
        connection.client,
        this.#tools,
        { name: tool, arguments: args },
        options,
      );
      this.#failures = 0;
      // The model must see tools that this call added in its next turn.
      await this.#relisting;
      const text = renderMcpResult(result);
      return result.isError === true
        ? { ok: false, reason: text || 'the tool returned an error without a message' }
        : withImages(text, readMcpImages(result));
    } catch (error) {
      if (signal.aborted && connection !== undefined) this.#probe(connection);
      // The server did not run the call.
      if (!isRepeated && connection !== undefined && (await hasEndedSession(error))) {
        await this.#drop(connection);
        return this.#call(tool, args, signal, true);
      }
      return { ok: false, reason: await this.#explain(error, connection) };
    }
  }

  /** Closes the server permanently. Contract: never throws; terminates its whole process tree. */
  async close(): Promise<void> {
    this.#closing.abort(new Fault('E_INTERRUPTED', `The tool server ${this.name} is closed.`));
    await this.#starting?.catch(() => undefined);
    await this.#connection?.close();
    this.#connection = undefined;
  }

  /** Starts the server once for all waiting calls. Aborting one call does not abort the start, because others may wait for it. */
  async #connect(signal: AbortSignal): Promise<McpConnection> {
    this.#closing.signal.throwIfAborted();
    // A server that does not answer is restarted first; the call would fail with it.
    if (this.#probing !== undefined) await raceAbort(this.#probing, signal);
    if (this.#connection !== undefined) return this.#connection;
    this.#starting ??= this.#open().finally(() => {
      this.#starting = undefined;
    });
    return raceAbort(this.#starting, signal);
  }

  async #open(): Promise<McpConnection> {
    const { signal } = this.#closing;
    if (this.#failures > 0) {
      const delayMs = Math.min(MIN_RESTART_DELAY_MS * 2 ** (this.#failures - 1), MAX_RESTART_DELAY_MS);
      await this.#deps.sleep(delayMs, signal);
    }
    try {
      const onToolsChanged = (): void => {
        this.#stale = true;
        this.#relisting = this.#relist(this.#relisting);
      };
      const deps = { ...this.#deps, onToolsChanged };
      const connection = await connectMcp(this.name, this.#settings, deps, signal, this.#requests);
      this.#connection = connection;
      this.#setTools(connection.tools);
      this.#instructions = connection.instructions;
      void this.#watch(connection);
      return connection;
    } catch (error) {
      this.#failures += 1;
      throw error;
    }
  }

  #setTools(tools: readonly McpTool[]): void {
    this.#tools = tools;
    this.#revision += 1;
  }

  /** Lists the tools again; several announcements lead to one list. A server that does not answer keeps its old list. */
  async #relist(earlier: Promise<void> | undefined): Promise<void> {
    await earlier;
    if (!this.#stale) return;
    this.#stale = false;
    const options = { timeout: RELIST_TIMEOUT_MS, signal: this.#closing.signal };
    try {
      const client = this.#connection?.client;
      if (client !== undefined) this.#setTools(await listMcpTools(client, this.#settings, options));
    } catch {
      // The old list stays.
    }
  }

  async #watch(connection: McpConnection): Promise<void> {
    await connection.lost;
    this.#failures += 1;
    if (this.#connection === connection) this.#connection = undefined;
  }

  /** Probes the server after a cancelled call: a slow server responds; a server that hangs is terminated, so that the next call restarts it. */
  #probe(connection: McpConnection): void {
    const { healthProbe = 'ping' } = this.#settings;
    if (healthProbe === 'none' || this.#closing.signal.aborted) return;
    this.#probing ??= this.#dropIfHanging(connection, healthProbe).finally(() => {
      this.#probing = undefined;
    });
  }

  async #dropIfHanging(connection: McpConnection, healthProbe: 'ping' | 'list-tools'): Promise<void> {
    const options = { timeout: PROBE_TIMEOUT_MS, signal: this.#closing.signal };
    try {
      if (healthProbe === 'ping') await connection.client.ping(options);
      else await connection.client.listTools(undefined, { ...options, cacheMode: 'bypass' });
      this.#failures = 0;
    } catch {
      if (!this.#closing.signal.aborted) await this.#drop(connection);
    }
  }

  /** Closes a connection that is of no use; the next call opens another one. */
  async #drop(connection: McpConnection): Promise<void> {
    if (this.#connection === connection) this.#connection = undefined;
    await connection.close();
  }

  async #explain(error: unknown, connection: McpConnection | undefined): Promise<string> {
    if (connection !== undefined && this.#connection !== connection && !this.#closing.signal.aborted)
      return `the tool server ${this.name} stopped: ${await connection.lost}`;
    return redactText(errorMessage(error));
  }
}
