import { observeBody } from '../observe-body.ts';
import { createReceivedBody } from './received-body.ts';

/** Observes whether a response stream was sent completely. */
export interface StreamEnd {
  /** Returns a response with the same content, which is observed while it is read. */
  readonly observe: (response: Response) => Response;
  /** Whether the provider sent the marker that ends its streams. */
  readonly isMarked: () => boolean;
  /** What was received of a successful response that is declared as something else than a stream. */
  readonly otherBody: () => string;
}

/** The last event of a stream: of APIs like OpenAI's, and of Anthropic's. Google's streams have none. */
const END_MARKER = /^data:\s*\[DONE\]|"type"\s*:\s*"message_stop"/mu;
const TAIL_CHARACTERS = 256;

/** Creates an observer for one response. SDKs do not report the marker, which distinguishes a complete stream from a truncated one. */
export function createStreamEnd(): StreamEnd {
  const other = createReceivedBody();
  const decoder = new TextDecoder();
  let tail = '';
  return {
    observe: (response) => {
      if (!/event-stream/u.test(response.headers.get('content-type') ?? ''))
        return response.ok ? other.observe(response) : response;
      return observeBody(response, (chunk) => {
        tail = (tail + decoder.decode(chunk, { stream: true })).slice(-TAIL_CHARACTERS);
      });
    },
    isMarked: () => END_MARKER.test(tail),
    otherBody: other.text,
  };
}
