import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio as serve, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { raceAbort } from '../../base/race-abort.ts';
import type { ChangeFeed } from '../../app/change-feed.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { limitLines, MAX_MESSAGE_BYTES } from './limit-lines.ts';
import type { McpHost } from './mcp-host.ts';
import { followRequests } from './unanswered-requests.ts';

/** How long calls may continue after the client has closed its side, so that it gets their answers. */
const LAST_CALLS_MS = 5000;

/** Serves over standard input and output until the client closes the connection or the signal aborts. */
export async function serveStdio(host: McpHost): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const beforeEnd = async (): Promise<void> => {
    const limit = AbortSignal.any([host.signal, AbortSignal.timeout(LAST_CALLS_MS)]);
    // Calls that take longer are interrupted: their client has disconnected.
    await raceAbort(requests.answered(), limit).catch(() => undefined);
  };
  const reply = (answer: object): void => void process.stdout.write(`${JSON.stringify(answer)}\n`);
  const lines = limitLines(reply, { beforeEnd });
  process.stdin.pipe(lines);
  const transport = new StdioServerTransport(lines, process.stdout, { maxBufferSize: 2 * MAX_MESSAGE_BYTES });
  const requests = followRequests(transport);
  let feed: ChangeFeed | undefined;
  const handle = serve(
    ({ era }) => {
      const server = createMcpServer(host, { canNotify: true });
      feed?.stop();
      feed = host.offer.features?.notifySubscriber(server, era, host);
      return server;
    },
    { transport, onerror: (error) => host.warn(error.message) },
  );
  // The SDK answers this request of the 2026 protocol itself, and the server is not notified.
  const { onmessage: deliver } = transport;
  const observed: Transport['onmessage'] = (message) => {
    requests.onMessage(message);
    deliver?.(message);
    if ('method' in message && message.method === 'subscriptions/listen') void feed?.start();
  };
  Object.assign(transport, { onmessage: observed });
  lines.once('end', resolve).once('close', resolve);
  // A broken pipe does not end the stream that it is piped to.
  process.stdin.once('close', () => lines.end()).once('error', () => lines.end());
  host.signal.addEventListener('abort', () => resolve());
  await closed;
  feed?.stop();
  await handle.close();
  process.stdin.unpipe(lines).pause();
  // All responses must be written before the answer of the command itself.
  await new Promise<void>((done) => process.stdout.write('', () => done()));
}
