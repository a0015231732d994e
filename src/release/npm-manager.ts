import { Fault } from '../base/fault.ts';
import { faultFromStatus } from '../base/http-fault.ts';
import { isPlainObject } from '../base/json.ts';
import { childEnvironment } from '../system/child-environment.ts';
import { runCommand, type CommandOutcome } from '../system/run-command.ts';
import { PACKAGE_NAME, type Install } from './install-method.ts';
import type { UpdateWorld } from './update-world.ts';
import { parseVersion, renderVersion } from './version.ts';

export type NpmInstall = Extract<Install, { readonly method: 'npm-global' | 'npm-local' }>;

const VIEW_TIMEOUT_MS = 60_000;
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const QUIET = ['--json', '--loglevel=error', '--no-fund', '--no-audit', '--no-update-notifier'];

/**
 * Where npm gets its packages from and how it reaches them. Only these pass from the caller's environment: others, such as
 * `npm_config_node_options`, would load code into npm.
 */
const PASSED =
  /^npm_config_(?:registry|userconfig|globalconfig|cache|cafile|proxy|https_proxy|noproxy|strict_ssl)$/iu;

/** npm's own error codes; its HTTP errors are `E` and the status. */
const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'E_NETWORK',
  ECONNRESET: 'E_NETWORK',
  ENOTFOUND: 'E_NETWORK',
  EAI_AGAIN: 'E_NETWORK',
  ENETUNREACH: 'E_NETWORK',
  ERR_SOCKET_TIMEOUT: 'E_TIMEOUT',
  ETIMEDOUT: 'E_TIMEOUT',
  EIDLETIMEOUT: 'E_TIMEOUT',
  ETARGET: 'E_NOT_FOUND',
  ENOVERSIONS: 'E_NOT_FOUND',
  EINTEGRITY: 'E_INTEGRITY',
  EACCES: 'E_FORBIDDEN',
  EPERM: 'E_FORBIDDEN',
  EROFS: 'E_FORBIDDEN',
  EBADENGINE: 'E_CONFIG',
  EBADPLATFORM: 'E_CONFIG',
  ENEEDAUTH: 'E_AUTH',
};

const HINTS: Readonly<Record<string, string>> = {
  E_FORBIDDEN: 'Run the update as the owner of the npm prefix, or set an npm prefix of your own.',
  E_CONFIG: 'Check that this version supports your Node.js and platform.',
  E_AUTH: 'Log in to the npm registry.',
  E_IO: 'Run the command in details.command by hand to see all that npm says.',
};

/** The command that installs a version, as npm is given it. The prefix is named, or npm might serve another than ours. */
export function npmInstallCommand(install: NpmInstall, version: string): readonly string[] {
  const spec = `${PACKAGE_NAME}@${version}`;
  return install.method === 'npm-global'
    ? ['npm', 'install', '--global', '--prefix', install.prefix, spec]
    : ['npm', 'install', '--prefix', install.project, spec];
}

/** Asks the registry for the newest version, or whether an exact one is there. */
export async function viewNpmVersion(
  install: NpmInstall,
  target: string | undefined,
  world: UpdateWorld,
): Promise<string> {
  const seconds = String(Math.ceil(world.timeoutMs / 1000) * 1000);
  const argv = [
    'npm',
    'view',
    `${PACKAGE_NAME}@${target ?? 'latest'}`,
    'version',
    '--fetch-retries=0',
    `--fetch-timeout=${seconds}`,
  ];
  const outcome = await runNpm([...argv, ...QUIET], install, world, VIEW_TIMEOUT_MS);
  if (outcome.exitCode !== 0) throw faultFromNpm(outcome, 'look up the version', 'E_UNKNOWN');
  const answer = parseJson(outcome.stdout);
  const version = typeof answer === 'string' ? parseVersion(answer) : undefined;
  if (version !== undefined) return renderVersion(version);
  throw new Fault('E_NOT_FOUND', `npm knows no ${PACKAGE_NAME}@${target ?? 'latest'}.`, {
    hint: 'Check the version and the registry.',
    details: { package: PACKAGE_NAME, version: target ?? 'latest' },
  });
}

/** Has npm install a version. */
export async function installWithNpm(
  install: NpmInstall,
  version: string,
  world: UpdateWorld,
): Promise<void> {
  const argv = [
    ...npmInstallCommand(install, version),
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    ...QUIET,
  ];
  const outcome = await runNpm(argv, install, world, INSTALL_TIMEOUT_MS);
  if (outcome.exitCode !== 0) throw faultFromNpm(outcome, `install ${version}`, 'E_IO');
}

function runNpm(
  argv: readonly string[],
  install: NpmInstall,
  world: UpdateWorld,
  timeoutMs: number,
): Promise<CommandOutcome> {
  const passed = Object.fromEntries(Object.entries(world.env).filter(([name]) => PASSED.test(name)));
  return runCommand(argv, {
    // npm obeys the .npmrc of the folder it runs in; the caller's folder may be a stranger's.
    cwd: install.method === 'npm-global' ? install.prefix : install.project,
    env: childEnvironment(world.env, passed),
    timeoutMs,
    signal: world.signal,
  });
}

/** Reads npm's own error code from its JSON answer; its prose is not looked at. */
function faultFromNpm(outcome: CommandOutcome, doing: string, fallback: string): Fault {
  const error = [outcome.stdout, outcome.stderr].map(errorIn).find((found) => found !== undefined);
  const reason = typeof error?.code === 'string' ? error.code : 'unknown';
  const status = /^E(\d{3})$/u.exec(reason)?.[1];
  const code =
    status === undefined ? (CODES[reason] ?? fallback) : faultFromStatus(Number(status), PACKAGE_NAME).code;
  return new Fault(code, `npm could not ${doing} (${reason}).`, {
    ...(HINTS[code] !== undefined && { hint: HINTS[code] }),
    details: {
      reason,
      npm_exit_code: outcome.exitCode,
      npm_summary: typeof error?.summary === 'string' ? error.summary.slice(0, 500) : null,
      _untrusted: ['npm_summary'],
    },
  });
}

function errorIn(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isPlainObject(value) && isPlainObject(value.error) ? value.error : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
