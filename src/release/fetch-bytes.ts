import { Fault } from '../base/fault.ts';
import { faultFromNetwork, faultFromStatus, parseRetryAfter } from '../base/http-fault.ts';
import { isLoopbackUrl, isSafeTransport } from '../base/safe-transport.ts';

/** Dependencies of a download. */
export interface FetchContext {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** The maximum time without data from the server. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

const MAX_REDIRECTS = 5;

/**
 * Downloads a file of limited size into memory. Redirects are followed only to https; a redirect to loopback only from loopback.
 * Contract: a response that is too large, truncated, late or not a 200 is a coded fault; an abort is E_INTERRUPTED.
 */
export async function fetchBytes(url: string, maxBytes: number, context: FetchContext): Promise<Buffer> {
  const idle = new AbortController();
  const signal = AbortSignal.any([context.signal, idle.signal]);
  let timer: NodeJS.Timeout | undefined;
  const resetTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => idle.abort(new DOMException('idle timeout', 'TimeoutError')), context.timeoutMs);
  };
  try {
    resetTimer();
    const response = await follow(url, context, signal);
    if (response.status !== 200) {
      await response.body?.cancel();
      throw faultFromStatus(
        response.status,
        url,
        parseRetryAfter(response.headers.get('retry-after'), context.now()),
      );
    }
    return await readBody(response, url, maxBytes, resetTimer);
  } catch (error) {
    if (context.signal.aborted)
      throw new Fault('E_INTERRUPTED', 'The download was interrupted.', { cause: error });
    throw faultFromNetwork(idle.signal.aborted ? idle.signal.reason : error, url);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(start: string, context: FetchContext, signal: AbortSignal): Promise<Response> {
  const origin = new URL(start);
  let url = origin;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await context.fetch(url, {
      redirect: 'manual',
      signal,
      headers: { accept: '*/*', 'accept-encoding': 'identity' },
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, url.href);
    if (next === null || !isSafeTransport(next) || (isLoopbackUrl(next) && !isLoopbackUrl(origin))) {
      throw new Fault('E_CONFIG', `${url.origin} redirects to a URL that is not allowed.`, {
        hint: 'Releases are downloaded over https only. Check update.release_url.',
        details: { url: url.origin + url.pathname, location: next === null ? null : next.origin },
      });
    }
    url = next;
  }
  throw new Fault('E_SERVER', `${start} redirects more than ${MAX_REDIRECTS} times.`, {
    details: { url: start },
  });
}

async function readBody(
  response: Response,
  url: string,
  maxBytes: number,
  resetTimer: () => void,
): Promise<Buffer> {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN);
  if (announced > maxBytes) {
    await response.body?.cancel();
    throw tooLarge(url, maxBytes);
  }
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of response.body ?? []) {
    resetTimer();
    received += chunk.length;
    if (received > maxBytes) throw tooLarge(url, maxBytes);
    chunks.push(chunk);
  }
  // Not every runtime detects a truncated body. The content length of a compressed response differs from the bytes received.
  if (!response.headers.has('content-encoding') && received < announced) {
    throw new Fault('E_NETWORK', `The download of ${url} ended after ${received} of ${announced} bytes.`, {
      details: { url, received, announced },
    });
  }
  return Buffer.concat(chunks);
}

function tooLarge(url: string, maxBytes: number): Fault {
  return new Fault('E_INTEGRITY', `${url} exceeds the limit of ${maxBytes} bytes.`, {
    details: { url, max_bytes: maxBytes },
  });
}
