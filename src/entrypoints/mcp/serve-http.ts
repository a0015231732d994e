import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { equalInConstantTime } from '../../system/digest.ts';
import { countHosts } from '../http/count-hosts.ts';
import { guardRequest } from '../http/guard-request.ts';
import { CLIENT_TIMEOUTS, listenUntilAborted } from '../http/listen-until-aborted.ts';
import { createMcpServer } from './create-mcp-server.ts';
import type { McpHost } from './mcp-host.ts';

export interface HttpOptions {
  readonly port: number;
  /** Required in every request: another user of this machine can reach the port, but cannot read the token. */
  readonly token: string;
  readonly onListening: (url: string) => void;
}

const PATH = '/mcp';
const BROKEN_REQUEST = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_603, message: 'The request could not be processed.' },
};

/**
 * Serves streamable HTTP on the loopback interface until the signal aborts. A web page can reach the loopback interface too, with a
 * DNS name that resolves to it: so the host, the origin and the token are checked before the request is read.
 */
export async function serveHttp(host: McpHost, { port, token, onListening }: HttpOptions): Promise<void> {
  const validHost = localhostHostValidation();
  const validOrigin = localhostOriginValidation();
  const onerror = (error: Error): void => host.warn(error.message);
  const bus = host.offer.features?.createChangeBus(host);
  const handler = createMcpHandler(
    // The 2025 protocol is served without sessions, so its clients can only be notified during a call.
    ({ era }) => createMcpServer(host, { canNotify: era === 'modern' }),
    { onerror, ...(bus !== undefined && { bus }) },
  );
  const answer = toNodeHandler(handler, { onerror });
  const server = createServer(
    CLIENT_TIMEOUTS,
    guardRequest(
      (request, response) => {
        if (countHosts(request) > 1) return reject(response, 400);
        if (!validHost(request, response) || !validOrigin(request, response)) return undefined;
        if (pathOf(request) !== PATH) return reject(response, 404);
        if (!hasToken(request, token)) return reject(response, 401);
        return answer(request, response);
      },
      onerror,
      BROKEN_REQUEST,
    ),
  );
  try {
    await listenUntilAborted(server, {
      port,
      address: '127.0.0.1',
      signal: host.signal,
      onListening: (origin) => onListening(`${origin}${PATH}`),
    });
  } finally {
    await handler.close();
  }
}

/** The path of a request without its query. Not parsed as a URL: `//` is a valid request target and an invalid URL. */
function pathOf(request: IncomingMessage): string | undefined {
  return request.url?.split('?', 1)[0];
}

function hasToken(request: IncomingMessage, token: string): boolean {
  return equalInConstantTime(withoutScheme(request.headers.authorization), token);
}

/** The name of a scheme has no case. */
function withoutScheme(header = ''): string {
  return /^bearer /iu.test(header) ? header.slice('Bearer '.length) : '';
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
