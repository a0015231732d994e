import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { raceAbort } from '../../../base/race-abort.ts';

/** A server on loopback that receives the answer of an authorization server through the browser. */
export interface CodeReceiver {
  readonly redirectUrl: string;
  /** Resolves with the parameters of the answer; rejects when the signal aborts. */
  readonly received: (signal: AbortSignal) => Promise<URLSearchParams>;
  readonly close: () => void;
}

const PATH = '/callback';
const ANSWER = 'You can close this window and return to the terminal.\n';

/** Starts the receiver. Answers with another state are ignored: they do not belong to this sign-in. */
export async function receiveCode(state: string, port = 0): Promise<CodeReceiver> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
    const isAnswer = url?.pathname === PATH && url.searchParams.get('state') === state;
    response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
    response.end(isAnswer ? ANSWER : '');
    if (isAnswer) resolve(url.searchParams);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening);
  });
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    received: (signal) => raceAbort(promise, signal),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
