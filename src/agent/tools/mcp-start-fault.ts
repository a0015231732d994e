import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { redactText } from '../../base/secrets/redact.ts';

export interface FailedStart {
  readonly name: string;
  readonly deadline: AbortSignal;
  readonly signal: AbortSignal;
  readonly error: unknown;
  /** Why the connection was closed; empty while it is open. */
  readonly reason: string;
  readonly stderrTail: string;
}

/** Converts the failure of a start to a Fault that names the server, the problem and how to fix it. */
export function mcpStartFault(failed: FailedStart): Fault {
  const { name, error, signal } = failed;
  if (error instanceof Fault && error.code === 'E_DAMAGED') return damagedFault(name, error);
  const invalidSchema = signal.aborted ? undefined : findInvalidSchema(error);
  if (invalidSchema !== undefined) return schemaFault(name, invalidSchema, error);
  const status = httpStatus(error);
  const problem = redactText(describeProblem(failed, status));
  const stderr = failed.stderrTail === '' ? '' : ` Its stderr: ${redactText(failed.stderrTail.slice(-500))}`;
  return new Fault(
    signal.aborted ? 'E_INTERRUPTED' : status === 401 ? 'E_AUTH' : 'E_CONFIG',
    `Cannot start the tool server ${name}: ${problem.replace(/\.$/u, '')}.${stderr}`,
    {
      hint:
        status === 401 || status === 403
          ? `Sign in with "deed agent login ${name}", or set mcpServers.${name}.headers, for example {"Authorization": "Bearer \${TOKEN}"}.`
          : `Check mcpServers.${name}.`,
      details: { kind: 'tools', server: name, problem, ...(status !== undefined && { status }) },
      cause: error,
    },
  );
}

/** A stored sign-in that is damaged; its hint says how to replace it. */
function damagedFault(name: string, error: Fault): Fault {
  return new Fault('E_DAMAGED', `Cannot start the tool server ${name}: ${error.message}`, {
    ...(error.hint !== undefined && { hint: error.hint }),
    details: { ...error.details, kind: 'tools', server: name },
    cause: error,
  });
}

function describeProblem(
  { deadline, signal, error, reason }: FailedStart,
  status: number | undefined,
): string {
  if (signal.aborted) return 'the session was cancelled';
  if (deadline.aborted) return 'it did not respond in time';
  if (status === 401)
    return 'it requires authorization (HTTP 401), and neither a sign-in nor the configured headers contain one that it accepts';
  if (status === 403) return 'it denies access with the configured headers (HTTP 403)';
  if (reason !== '' && reason !== 'it was closed' && reason !== 'the connection was closed') return reason;
  return errorMessage(error);
}

/** Returns the HTTP status of an error of the SDK; an `UnauthorizedError`, and a token that cannot be refreshed, mean 401. */
function httpStatus(error: unknown): number | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    // Names of classes are shortened in the executable; the names of these errors are not.
    if (['UnauthorizedError', 'OAuthError'].includes(current.name)) return 401;
    const { status, code, data } = current as {
      readonly status?: unknown;
      readonly code?: unknown;
      readonly data?: { readonly status?: unknown };
    };
    const found = [status, data?.status, code].find((value) => typeof value === 'number' && value >= 400);
    if (found !== undefined) return found as number;
  }
  return undefined;
}

/** Returns the problem when the list of tools was rejected because of an input schema. */
function findInvalidSchema(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error as { readonly code?: unknown }).code !== 'INVALID_RESULT')
    return undefined;
  return error.message.includes('inputSchema') ? error.message : undefined;
}

function schemaFault(name: string, problem: string, cause: unknown): Fault {
  const summary = problem.replaceAll(/\s+/gu, ' ').slice(0, 300);
  return new Fault(
    'E_CONFIG',
    `The tool server ${name} lists a tool with an invalid input schema: ${summary}`,
    {
      hint: `The root of an input schema must be {"type": "object"}. Report it to the author of ${name}, or remove the server from tools.`,
      details: { kind: 'schema', server: name },
      cause,
    },
  );
}
