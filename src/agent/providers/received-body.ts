import { observeBody } from '../observe-body.ts';

/** What was received of a response that is not a stream. SDKs report it only if it is complete. */
export interface ReceivedBody {
  /** Returns a response with the same content, which is observed while it is read. */
  readonly observe: (response: Response) => Response;
  readonly text: () => string;
}

export function createReceivedBody(): ReceivedBody {
  const chunks: Uint8Array[] = [];
  return {
    observe: (response) => observeBody(response, (chunk) => chunks.push(chunk)),
    text: () => Buffer.concat(chunks).toString(),
  };
}
