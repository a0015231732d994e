import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { equalInConstantTime } from '../../base/digest.ts';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { guardRequest } from './guard-request.ts';
import type { McpHost } from './mcp-host.ts';
import { createChangeBus } from './subscriptions.ts';

export interface HttpOptions {
  readonly port: number;
  /** Required in every request: another user of this machine can reach the port, but cannot read the token. */
  readonly token: string;
  readonly onListening: (url: string) => void;
}

const PATH = '/mcp';
/** A client that sends its request slower than this is disconnected; answers may take any time. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000 };

/**
 * Serves streamable HTTP on the loopback interface until the signal aborts. A web page can reach the loopback interface too, with a
 * DNS name that resolves to it: so the host, the origin and the token are checked before the request is read.
 */
export async function serveHttp(host: McpHost, { port, token, onListening }: HttpOptions): Promise<void> {
  const validHost = localhostHostValidation();
  const validOrigin = localhostOriginValidation();
  const onerror = (error: Error): void => host.warn(error.message);
  const handler = createMcpHandler(
    // The 2025 protocol is served without sessions, so its clients can only be notified during a call.
    ({ era }) => createMcpServer(host, { canNotify: era === 'modern' }),
    { onerror, bus: createChangeBus(host) },
  );
  const answer = toNodeHandler(handler, { onerror });
  const server = createServer(
    TIMEOUTS,
    guardRequest((request, response) => {
      if (countHosts(request) > 1) return reject(response, 400);
      if (!validHost(request, response) || !validOrigin(request, response)) return undefined;
      if (pathOf(request) !== PATH) return reject(response, 404);
      if (!hasToken(request, token)) return reject(response, 401);
      return answer(request, response);
    }, onerror),
  );
  const { promise: closed, resolve, reject: fail } = Promise.withResolvers<void>();
  server.once('error', (error) => fail(listenFault(error, port)));
  server.once('close', resolve);
  server.listen(port, '127.0.0.1', () =>
    onListening(`http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`),
  );
  host.signal.addEventListener('abort', () => {
    server.close();
    server.closeAllConnections();
  });
  try {
    await closed;
  } finally {
    await handler.close();
  }
}

/** The path of a request without its query. Not parsed as a URL: `//` is a valid request target and an invalid URL. */
function pathOf(request: IncomingMessage): string | undefined {
  return request.url?.split('?', 1)[0];
}

/** Of several host headers only the first would be checked; a proxy may have used another one. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

function hasToken(request: IncomingMessage, token: string): boolean {
  return equalInConstantTime(request.headers.authorization ?? '', `Bearer ${token}`);
}

const REASONS = {
  400: 'The request has more than one Host header.',
  401: 'The bearer token is missing or invalid.',
  404: `Only ${PATH} is served.`,
};

function reject(response: ServerResponse, status: keyof typeof REASONS): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  const error = { code: -32_600, message: REASONS[status] };
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

function listenFault(error: Error, port: number): Fault {
  const reason = systemCode(error);
  if (reason !== 'EADDRINUSE' && reason !== 'EACCES')
    return faultFromSystem(error, 'listen on port', `${port}`);
  const why = reason === 'EACCES' ? 'is not available to this account' : 'is in use by another program';
  return new Fault(reason === 'EACCES' ? 'E_FORBIDDEN' : 'E_CONFLICT', `Port ${port} ${why}.`, {
    hint: 'Choose another with --port, or 0 for a free one.',
    details: { field: 'port', reason },
  });
}
