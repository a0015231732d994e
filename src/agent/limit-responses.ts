import { Fault } from '../base/fault.ts';
import { observeBody } from './observe-body.ts';

/** How many bytes of a response are read, after decompression. */
export interface ResponseLimits {
  /** A line of an event stream, which its parser keeps in memory. */
  readonly lineBytes: number;
  /** A response that is not an event stream. */
  readonly bodyBytes: number;
  /** The total bytes of an event stream; absent for a stream that stays open, such as the stream of a tool server. */
  readonly streamBytes?: number;
}

/** Limits of any server that an agent calls. */
export const SERVER_LIMITS: ResponseLimits = {
  lineBytes: 32 * 1024 * 1024,
  bodyBytes: 64 * 1024 * 1024,
};

/** A streamed answer of 200,000 tokens has about 60 MB. */
export const MODEL_LIMITS: ResponseLimits = { ...SERVER_LIMITS, streamBytes: 128 * 1024 * 1024 };

const LINE_FEED = 10;

/** Wraps `fetch`: reading more of a response than the limits allow fails with E_SERVER and closes the connection. */
export function limitResponses(
  fetch: typeof globalThis.fetch,
  limits: ResponseLimits,
): typeof globalThis.fetch {
  const limited = async (...call: Parameters<typeof globalThis.fetch>): Promise<Response> =>
    limitResponse(await fetch(...call), limits);
  return Object.assign(limited, fetch);
}

function limitResponse(response: Response, limits: ResponseLimits): Response {
  const { headers, url } = response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const totalBytes = isStream ? (limits.streamBytes ?? Number.POSITIVE_INFINITY) : limits.bodyBytes;
  const lineBytes = isStream ? limits.lineBytes : Number.POSITIVE_INFINITY;
  let total = 0;
  let line = 0;
  return observeBody(response, (chunk) => {
    total += chunk.length;
    const end = chunk.lastIndexOf(LINE_FEED);
    line = end < 0 ? line + chunk.length : chunk.length - end - 1;
    if (total > totalBytes) throw tooLarge(url, 'The response', totalBytes);
    if (line > lineBytes) throw tooLarge(url, 'A line of the response', lineBytes);
  });
}

function tooLarge(url: string, what: string, maxBytes: number): Fault {
  const host = URL.parse(url)?.host ?? 'the server';
  return new Fault('E_SERVER', `${what} of ${host} has more than ${maxBytes} bytes.`, {
    hint: 'The server is broken or hostile; check its address.',
    details: { host, max: maxBytes },
  });
}
