import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../base/json.ts';

type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Wraps a request handler: an error of the handler, thrown or rejected, answers the request with this JSON body and never crashes the server. */
export function guardRequest(
  answer: AnswerRequest,
  onError: (error: Error) => void,
  errorBody: JsonObject,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const fail = (error: unknown): void => {
      onError(error instanceof Error ? error : new Error(String(error)));
      endWithError(response, errorBody);
    };
    // A connection that breaks during the answer emits an error here; without a listener it would crash the process.
    request.on('error', onError);
    response.on('error', onError);
    try {
      void Promise.resolve(answer(request, response)).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

function endWithError(response: ServerResponse, body: JsonObject): void {
  try {
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  } catch {
    response.destroy();
  }
}
