import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';

export interface ListenOptions {
  readonly port: number;
  readonly address: string;
  readonly signal: AbortSignal;
  readonly scheme?: 'http' | 'https';
  /** Called with the origin of the server, such as `http://127.0.0.1:7333`. */
  readonly onListening: (origin: string) => void;
}

/** A client that sends its request slower than this is disconnected; answers may take any time. */
export const CLIENT_TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000 };

/** Listens until the signal aborts; open connections are closed then. */
export async function listenUntilAborted(
  server: Server,
  { port, address, signal, scheme = 'http', onListening }: ListenOptions,
): Promise<void> {
  const { promise: closed, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error) => reject(listenFault(error, port)));
  server.once('close', resolve);
  server.listen(port, address, () =>
    onListening(`${scheme}://${address}:${(server.address() as AddressInfo).port}`),
  );
  signal.addEventListener('abort', () => {
    server.close();
    server.closeAllConnections();
  });
  await closed;
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
