/** What a child process needs to find programs, folders, languages and proxies; nothing that carries a secret or code. */
const ALLOWED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'CI',
  'TMPDIR',
  'PWD',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'DEED_HOME',
  'DEED_RUN_ID',
]);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Chooses the environment of a child: the allow-list, locale variables, and what the caller adds by name. `NODE_OPTIONS` and
 * `BUN_OPTIONS` load code into every child and are therefore never passed on.
 */
export function childEnvironment(env: Environment, extra: Environment = {}): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (ALLOWED.has(name) || name.startsWith('LC_'))) result[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value !== undefined && name !== 'NODE_OPTIONS' && name !== 'BUN_OPTIONS') result[name] = value;
  }
  return result;
}
