import { redirectTarget, renderTarget } from '../redirect-target.ts';

const MAX_REDIRECTS = 5;

/** A redirect that is not followed. It is a failure of the model, not of the network: another attempt gets the same response. */
class RedirectError extends Error {
  readonly statusCode: number;
  readonly url: string;

  constructor(status: number, from: URL, to: URL) {
    super(
      `it redirects to ${renderTarget(to)}, which is not followed: keys are sent only to the configured address. Set baseUrl to the address that the provider has now.`,
    );
    this.name = 'RedirectError';
    this.statusCode = status;
    this.url = renderTarget(from);
  }
}

/**
 * Wraps `fetch` for providers: `fetch` itself would send keys in headers, and the conversation, to any address that a server redirects to.
 * A redirect is followed only if it keeps the origin and the method.
 */
export function fetchSameOrigin(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input);
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, { ...init, redirect: 'manual' });
      const target = redirectTarget(response, url);
      if (target === undefined) return response;
      await response.body?.cancel();
      const keepsMethod = response.status === 307 || response.status === 308;
      if (!keepsMethod || target.origin !== url.origin || redirects === MAX_REDIRECTS)
        throw new RedirectError(response.status, url, target);
      url = target;
    }
  };
}
