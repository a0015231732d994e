import { ownMember } from '../base/own-member.ts';
import { Fault } from '../base/fault.ts';
import { CERTIFICATE_HINT, faultFromStatus, isCertificateError } from '../base/http-fault.ts';
import { isPlainObject } from '../base/json.ts';
import { childEnvironment } from '../system/child-environment.ts';
import { runCommand, type CommandOutcome } from '../system/run-command.ts';
import type { UpdateContext } from './update-context.ts';

export interface NpmCall {
  /** The operation, for the error message: `install 1.2.0`. */
  readonly doing: string;
  /** npm reads the .npmrc of its working directory, so this is never the caller's folder, which may be untrusted. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** How long npm may take to roll back after a signal. */
  readonly graceMs: number;
  /** The code for failures without an npm error code. */
  readonly fallback: 'E_IO' | 'E_UNKNOWN';
}

const QUIET = ['--json', '--loglevel=error', '--no-fund', '--no-audit', '--no-update-notifier'];

/**
 * Settings of registry and network. Only these are passed on from the environment of the caller: others, such as
 * `npm_config_node_options`, could load code into npm.
 */
const PASSED_VARIABLES =
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
  E_FORBIDDEN: 'Run the update as the owner of the npm prefix, or configure an npm prefix that you own.',
  E_CONFIG: 'Check that this version supports your Node.js and platform.',
  E_AUTH: 'Log in to the npm registry.',
  E_IO: 'Run the command in details.command by hand to see the full output of npm.',
};

/** Runs npm and returns its JSON output. Contract: a failure is a fault with our code and the error code of npm in its details. */
export async function runNpm(
  argv: readonly string[],
  call: NpmCall,
  context: UpdateContext,
): Promise<unknown> {
  const fetchFlags = [
    `--fetch-timeout=${context.timeoutMs}`,
    '--fetch-retry-mintimeout=500',
    '--fetch-retry-maxtimeout=2000',
  ];
  const outcome = await runCommand([...argv, ...fetchFlags, ...QUIET], {
    cwd: call.cwd,
    env: childEnvironment(context.env, networkVariables(context.env)),
    timeoutMs: call.timeoutMs,
    signal: context.signal,
    graceMs: call.graceMs,
  });
  if (outcome.exitCode !== 0) throw faultFromNpm(outcome, call);
  return parseJson(outcome.stdout);
}

/** The variables with which package managers reach their registry. */
export function networkVariables(env: UpdateContext['env']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_VARIABLES.test(name)));
}

/** Reads the error code from the JSON output of npm; its messages are not parsed. */
function faultFromNpm(outcome: CommandOutcome, call: NpmCall): Fault {
  const error = errorIn(outcome.stdout) ?? errorIn(outcome.stderr);
  const reason = typeof error?.code === 'string' ? error.code : 'unknown';
  const status = /^E(\d{3})$/u.exec(reason)?.[1];
  const isCertificate = isCertificateError(reason);
  const code =
    status === undefined
      ? (ownMember(CODES, reason) ?? (isCertificate ? 'E_CONFIG' : call.fallback))
      : faultFromStatus(Number(status), 'npm').code;
  const hint = isCertificate ? CERTIFICATE_HINT : ownMember(HINTS, code);
  return new Fault(code, `npm could not ${call.doing} (${reason}).`, {
    ...(hint !== undefined && { hint }),
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
