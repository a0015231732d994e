import { isPlainObject } from '../../base/json.ts';

const NO_STREAM =
  'the server answers with JSON instead of a stream. If it does not support streaming, set "stream": false in "defaults" of the configuration, or "stream: false" in the prompt file';
const WEB_PAGE = 'the server answers with a web page. Check baseUrl of the provider, and the proxy';

/** A server answered a request for a stream with something else: an error with a success status, a whole response, or a web page. */
export class NotStreamedError extends Error {
  readonly responseBody: string;

  constructor(message: string, responseBody: string) {
    super(message);
    this.name = 'NotStreamedError';
    this.responseBody = responseBody;
  }
}

/** Returns the error for a body that is not a stream; undefined for one that could be a part of a stream. */
export function notStreamedError(body: string): NotStreamedError | undefined {
  if (isJsonObject(body)) return new NotStreamedError(NO_STREAM, body);
  return /^\s*</u.test(body) ? new NotStreamedError(WEB_PAGE, body) : undefined;
}

function isJsonObject(body: string): boolean {
  try {
    return isPlainObject(JSON.parse(body));
  } catch {
    return false;
  }
}
