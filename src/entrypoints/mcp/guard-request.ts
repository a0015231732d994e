import type { IncomingMessage, ServerResponse } from 'node:http';

type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Wraps a request handler: an error that it throws, now or later, ends its request and never the server. */
export function guardRequest(
  answer: AnswerRequest,
  onError: (error: Error) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const fail = (error: unknown): void => {
      onError(error instanceof Error ? error : new Error(String(error)));
      endWithError(response);
    };
    // A socket that breaks in the middle of an answer reports it here; without a listener the process would end.
    request.on('error', onError);
    response.on('error', onError);
    try {
      void Promise.resolve(answer(request, response)).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

function endWithError(response: ServerResponse): void {
  try {
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
    const error = { code: -32_603, message: 'The request could not be processed.' };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  } catch {
    response.destroy();
  }
}
