/** Where requests never leave this machine. Some programs know no ranges, so the usual address stands for itself too. */
const LOOPBACK = 'localhost,127.0.0.1,127.0.0.0/8,::1';

const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

/**
 * Keeps requests to this machine from going through a proxy, here and in the programs that are started with this environment. The
 * runtime takes proxies from the environment, and reads the exceptions again for every request and redirect; it would send requests to
 * loopback to the proxy as well, with their keys.
 */
export function exemptLoopback(env: Record<string, string | undefined>): void {
  if (!PROXIES.some((name) => env[name])) return;
  // The lower case counts where both are set.
  const name = env.no_proxy ? 'no_proxy' : 'NO_PROXY';
  const own = env[name];
  env[name] = own ? `${own},${LOOPBACK}` : LOOPBACK;
}
