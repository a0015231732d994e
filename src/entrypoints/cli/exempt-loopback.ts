/** Where requests never leave this machine. Some programs know no ranges, so the usual address stands for itself too. */
const LOOPBACK = 'localhost,127.0.0.1,127.0.0.0/8,::1';

/**
 * Keeps requests to this machine from going through a proxy, here and in the programs that are started with this environment. The
 * runtime takes proxies from the environment, and reads the exceptions again for every request and redirect; it would send requests to
 * loopback to the proxy as well, with their keys.
 */
export function exemptLoopback(env: Record<string, string | undefined>): void {
  const proxy = env.http_proxy || env.https_proxy || env.all_proxy;
  if (!(proxy || env.HTTP_PROXY || env.HTTPS_PROXY || env.ALL_PROXY)) return;
  // The lower case counts where both are set.
  const name = env.no_proxy ? 'no_proxy' : 'NO_PROXY';
  const own = env[name];
  env[name] = own ? `${own},${LOOPBACK}` : LOOPBACK;
}
