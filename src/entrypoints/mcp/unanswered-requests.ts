import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** The requests of a client that have no answer yet. */
export interface UnansweredRequests {
  readonly onMessage: (message: JSONRPCMessage) => void;
  /** Settles when every request has its answer. */
  readonly answered: () => Promise<void>;
}

/** Requests that stay open as long as their client. */
const WITHOUT_END: ReadonlySet<string> = new Set(['subscriptions/listen']);

/** Follows the requests and answers of a transport, so that a client that closes its side after a request still gets the answer. */
export function followRequests(transport: Transport): UnansweredRequests {
  const open = new Set<unknown>();
  const waiting: (() => void)[] = [];
  const close = (id: unknown): void => {
    open.delete(id);
    if (open.size === 0) for (const settle of waiting.splice(0)) settle();
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (!('method' in message) && 'id' in message) close(message.id);
  };
  return {
    onMessage: (message) => {
      if (!('method' in message)) return;
      // A cancelled request gets no answer.
      if (message.method === 'notifications/cancelled') close(message.params?.requestId);
      else if ('id' in message && !WITHOUT_END.has(message.method)) open.add(message.id);
    },
    answered: () =>
      open.size === 0 ? Promise.resolve() : new Promise<void>((settle) => waiting.push(settle)),
  };
}
