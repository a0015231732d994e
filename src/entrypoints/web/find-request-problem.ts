/** Why a request is refused before it is processed. */
export interface RequestProblem {
  readonly status: 403 | 405 | 415 | 421;
  readonly message: string;
}

/** The part of a request that the check reads. */
export interface CheckedRequest {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
}

/** Where the server is reached. */
export interface OwnAddress {
  readonly scheme: 'http' | 'https';
  /** The values of the Host header that name it. */
  readonly hosts: readonly string[];
}

/**
 * Checks that a request comes from our own pages. A foreign page can send requests to this port: with a DNS name that resolves to
 * loopback (wrong host), or to our address with the person's cookies (wrong origin; a page on another port of this machine is even
 * same-site, so its requests carry strict cookies).
 */
export function findRequestProblem(
  { method, path, header }: CheckedRequest,
  { scheme, hosts }: OwnAddress,
): RequestProblem | undefined {
  const host = header('host') ?? '';
  if (!hosts.includes(host.toLowerCase()))
    return { status: 421, message: 'The Host header does not name this server.' };
  const origin = header('origin');
  if (origin !== undefined && origin.toLowerCase() !== `${scheme}://${host.toLowerCase()}`)
    return { status: 403, message: 'The request comes from another origin.' };
  if (!isOwnPage(method, path, header))
    return { status: 403, message: 'The request comes from another site.' };
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method !== 'POST') return { status: 405, message: 'Only GET, HEAD and POST are supported.' };
  // Browsers send the origin with every POST.
  if (origin === undefined) return { status: 403, message: 'The request has no Origin header.' };
  if (header('content-type')?.split(';', 1)[0] !== 'application/json')
    return { status: 415, message: 'The content type must be application/json.' };
  return undefined;
}

/** A link on another site may open a page, which has no data without the cookie; nothing else of ours is for other sites. */
function isOwnPage(method: string, path: string, header: CheckedRequest['header']): boolean {
  const site = header('sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  const isNavigation = header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document';
  return method === 'GET' && isNavigation && !/^\/(?:api|assets)\//u.test(path);
}
