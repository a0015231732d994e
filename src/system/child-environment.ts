/** Variables for programs, folders, languages, proxies and certificate authorities; none of them contains a secret or loads code. */
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
  'NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'ALL_PROXY',
  'all_proxy',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'DEED_HOME',
  'DEED_RUN_ID',
  'DEED_RUN_MARK',
]);

/**
 * Variables that make a program load additional code, listen for a debugger, or run as another program: those of JavaScript
 * runtimes (our executables contain Bun), of the dynamic loader, and of shells.
 */
export const LOADS_CODE =
  /^(?:NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|BUN_OPTIONS|BUN_BE_BUN|BUN_INSPECT.*|BUN_JSC_.*|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV)$/u;

type Environment = Readonly<Record<string, string | undefined>>;

/** Creates the environment of a child: the allow-list, locale variables, and variables added by name, except code loaders. */
export function childEnvironment(env: Environment, extra: Environment = {}): Record<string, string> {
  const allowed = Object.entries(env).filter(([name]) => ALLOWED.has(name) || name.startsWith('LC_'));
  return inheritEnvironment({ ...Object.fromEntries(allowed), ...defined(extra) });
}

/** The whole environment except code loaders, for a child that acts for the caller and needs its keys. */
export function inheritEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(defined(env)).filter(([name]) => !LOADS_CODE.test(name)));
}

function defined(env: Environment): Record<string, string> {
  const present = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(present);
}
