/** The loopback addresses. Some programs do not support ranges, so 127.0.0.1 is listed too. */
const LOOPBACK = 'localhost,127.0.0.1,127.0.0.0/8,::1';

/**
 * Exempts loopback addresses from proxies, in this process and in child processes with this environment. The runtime reads proxies
 * from the environment, and the exceptions for every request and redirect; without this it would send requests to loopback, with
 * their keys, to the proxy.
 */
export function exemptLoopback(env: Record<string, string | undefined>): void {
  const proxy = env.http_proxy || env.https_proxy || env.all_proxy;
  if (!(proxy || env.HTTP_PROXY || env.HTTPS_PROXY || env.ALL_PROXY)) return;
  // The lower-case variable takes precedence.
  const name = env.no_proxy ? 'no_proxy' : 'NO_PROXY';
  const own = env[name];
  env[name] = own ? `${own},${LOOPBACK}` : LOOPBACK;
}
