import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type * as Mcp from '@modelcontextprotocol/client';
import { isPlainObject } from '../../base/json.ts';
import { startLineProgram, type LineProgram } from '../../system/line-program.ts';

export interface StdioServer {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A whole message. The result of one call may be as large as fits here; it is cut before a model sees it. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** What a server may say between two messages that is none; debug prints are common, floods are a defect. */
const MAX_NOISE_BYTES = 1024 * 1024;
/** JSON-RPC's number for what is no valid message. */
const INVALID_REQUEST = -32_600;

/**
 * Speaks with a server over its standard input and output. The library's own transport ends one process only; this one ends
 * the whole tree, bounds what a broken server can say, and reads large messages in linear time.
 */
export class McpStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why the server is gone, once it is. */
  reason = '';
  readonly #server: StdioServer;
  readonly #parse: typeof Mcp.parseJSONRPCMessage;
  #child: LineProgram | undefined;
  #noiseBytes = 0;

  constructor(server: StdioServer, parse: typeof Mcp.parseJSONRPCMessage) {
    this.#server = server;
    this.#parse = parse;
  }

  async start(): Promise<void> {
    this.#child = await startLineProgram(this.#server.argv, {
      cwd: this.#server.cwd,
      env: this.#server.env,
      maxLineBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => this.#read(line),
      onEnd: (reason) => this.#gone(reason),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#child?.write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    await this.#child?.end();
  }

  /** What the server said last on standard error. */
  complaints(): string {
    return this.#child?.complaints() ?? '';
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    let said: unknown;
    try {
      said = JSON.parse(line);
    } catch (error) {
      this.#noise(line, error as Error);
      return;
    }
    // One version of the protocol lets a server answer several requests in one line.
    for (const each of Array.isArray(said) ? (said as unknown[]) : [said]) this.#take(each, line);
  }

  #take(said: unknown, line: string): void {
    let message: JSONRPCMessage;
    try {
      message = this.#parse(said);
    } catch (error) {
      const answered = answeredRequest(said);
      if (answered === undefined) this.#noise(line, error as Error);
      else this.onmessage?.(invalidAnswer(answered));
      return;
    }
    this.#noiseBytes = 0;
    this.onmessage?.(message);
  }

  #noise(line: string, error: Error): void {
    this.#noiseBytes += line.length + 1;
    this.onerror?.(error);
    if (this.#noiseBytes > MAX_NOISE_BYTES)
      this.#gone(`it floods its output with what is no message (${this.#noiseBytes} bytes)`);
  }

  #gone(reason: string): void {
    if (this.reason !== '') return;
    this.reason = reason;
    // Whatever is left of its tree is of no use to anybody.
    void this.#child?.end();
    this.onclose?.();
  }
}

/** The request that something answers which is no valid answer. Whoever waits for it should not wait until its time is up. */
function answeredRequest(said: unknown): number | string | undefined {
  if (!isPlainObject(said) || 'method' in said) return undefined;
  const { id } = said;
  return typeof id === 'number' || typeof id === 'string' ? id : undefined;
}

function invalidAnswer(id: number | string): JSONRPCMessage {
  const message = 'the tool server answered with what is no valid JSON-RPC response';
  return { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } };
}
