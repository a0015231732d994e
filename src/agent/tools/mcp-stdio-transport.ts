import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type * as Mcp from '@modelcontextprotocol/client';
import { isPlainObject } from '../../base/json.ts';
import { watchOwnExit } from '../../system/exit-watcher.ts';
import { startLineProgram, type LineProgram } from '../../system/line-program.ts';

export interface StdioServer {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A variable of its environment, `NAME=value`, by which its processes are found when this process was killed. */
  readonly mark?: string;
}

/** The largest message. A tool result may be this large; it is truncated before a model sees it. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** The most output between two messages that is not a message. Debug prints are common; a flood is a bug in the server. */
const MAX_NOISE_BYTES = 1024 * 1024;
/** JSON-RPC error code for an invalid message. */
const INVALID_REQUEST = -32_600;

/**
 * An MCP transport over standard input and output. The SDK's own transport terminates only one process; this one terminates the
 * whole process tree, limits the output of a broken server, and reads large messages in linear time.
 */
export class McpStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why the server stopped; empty while it runs. */
  reason = '';
  readonly #server: StdioServer;
  readonly #parse: typeof Mcp.parseJSONRPCMessage;
  #child: LineProgram | undefined;
  #noiseBytes = 0;
  #releaseWatcher = (): void => {};

  constructor(server: StdioServer, parse: typeof Mcp.parseJSONRPCMessage) {
    this.#server = server;
    this.#parse = parse;
  }

  async start(): Promise<void> {
    const { mark, env } = this.#server;
    if (mark !== undefined) this.#releaseWatcher = await watchOwnExit(mark, env);
    this.#child = await startLineProgram(this.#server.argv, {
      cwd: this.#server.cwd,
      env: this.#server.env,
      maxLineBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => this.#read(line),
      onEnd: (reason) => this.#stop(reason),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#child?.write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    await this.#child?.end();
    this.#releaseWatcher();
  }

  /** Returns the last output of the server on standard error. */
  stderrTail(): string {
    return this.#child?.stderrTail() ?? '';
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      this.#noise(line, error as Error);
      return;
    }
    // One version of the protocol allows a batch of responses in one line.
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) this.#handle(each, line);
  }

  #handle(value: unknown, line: string): void {
    let message: JSONRPCMessage;
    try {
      message = this.#parse(value);
    } catch (error) {
      const id = responseId(value);
      if (id === undefined) this.#noise(line, error as Error);
      else this.onmessage?.(invalidResponse(id));
      return;
    }
    this.#noiseBytes = 0;
    this.onmessage?.(message);
  }

  #noise(line: string, error: Error): void {
    this.#noiseBytes += line.length + 1;
    this.onerror?.(error);
    if (this.#noiseBytes > MAX_NOISE_BYTES)
      this.#stop(`it flooded its output with invalid messages (${this.#noiseBytes} bytes)`);
  }

  #stop(reason: string): void {
    if (this.reason !== '') return;
    this.reason = reason;
    // Terminates what is left of its process tree.
    void this.#child?.end().then(() => this.#releaseWatcher());
    this.onclose?.();
  }
}

/** Returns the request id of an invalid response, so that its request fails immediately instead of timing out. */
function responseId(value: unknown): number | string | undefined {
  if (!isPlainObject(value) || 'method' in value) return undefined;
  const { id } = value;
  return typeof id === 'number' || typeof id === 'string' ? id : undefined;
}

function invalidResponse(id: number | string): JSONRPCMessage {
  const message = 'the tool server sent an invalid JSON-RPC response';
  return { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } };
}
