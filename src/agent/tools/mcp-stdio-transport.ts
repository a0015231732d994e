import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type * as Mcp from '@modelcontextprotocol/client';
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
    let message: JSONRPCMessage;
    try {
      message = this.#parse(JSON.parse(line));
    } catch (error) {
      this.#noiseBytes += line.length + 1;
      this.onerror?.(error as Error);
      if (this.#noiseBytes > MAX_NOISE_BYTES)
        this.#gone(`it floods its output with what is no message (${this.#noiseBytes} bytes)`);
      return;
    }
    this.#noiseBytes = 0;
    this.onmessage?.(message);
  }

  #gone(reason: string): void {
    if (this.reason !== '') return;
    this.reason = reason;
    // Whatever is left of its tree is of no use to anybody.
    void this.#child?.end();
    this.onclose?.();
  }
}
