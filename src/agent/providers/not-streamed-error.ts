import { isPlainObject } from '../../base/json.ts';

/** A server answered a request for a stream with one JSON object: an error with a success status, or a whole response. */
export class NotStreamedError extends Error {
  readonly responseBody: string;

  constructor(responseBody: string) {
    super(
      'the server answers with JSON instead of a stream. If it does not support streaming, set "stream": false in "defaults" of the configuration, or "stream: false" in the prompt file',
    );
    this.name = 'NotStreamedError';
    this.responseBody = responseBody;
  }
}

/** Returns whether a body is a JSON object, which no stream is. */
export function isJsonObject(body: string): boolean {
  try {
    return isPlainObject(JSON.parse(body));
  } catch {
    return false;
  }
}
