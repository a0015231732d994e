import { isoTime } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { redact, redactText } from '../base/secrets/redact.ts';
import type { CommandContext } from './command.ts';
import type { AuditEntry } from './audit-chain.ts';
import { appendAudit } from './audit-log.ts';
import { codeRow, toFault } from './exit-code.ts';
import type { Invocation } from './invocation.ts';

/** Longer arguments are logged by their size only: the log is for reading, not for payloads. */
const MAX_ARGUMENT_CHARACTERS = 2000;

/** Logs the start of a write; throws when the log cannot be written, so that no write is unlogged, except a command that is allowed to be. */
export async function recordBegin(
  context: CommandContext,
  invocation: Invocation,
  mayBeUnlogged = false,
): Promise<void> {
  try {
    await append(context, entry(context, invocation, 'begin', null, null), true);
  } catch (error) {
    // The end of the call is not logged either, and reported as a warning.
    if (mayBeUnlogged) return;
    const cause = toFault(error);
    throw new Fault(cause.code, `The audit log cannot be written, so nothing was changed. ${cause.message}`, {
      hint: cause.hint ?? 'Make the home folder writable, then run the command again.',
      details: cause.details,
      cause: error,
    });
  }
}

/**
 * Logs the end of a call; when the log cannot be written, the caller gets a warning and the answer. It is not flushed: after a
 * power loss a started write may lack its end line, but never its begin line. Of a call that could not be parsed, the log has the words
 * of its command.
 */
export async function recordEnd(
  context: CommandContext,
  invocation: Invocation | undefined,
  code: string | null,
  durationMs: number,
  typed: readonly string[] = [],
): Promise<void> {
  const line = entry(context, invocation, 'end', code, durationMs);
  const words = invocation === undefined ? commandWords(typed) : [];
  try {
    await append(context, words.length > 0 ? { ...line, args: redact({ words }) } : line, false);
  } catch (error) {
    context.warn(`This call is not in the audit log: ${toFault(error).message}`);
  }
}

async function append(context: CommandContext, line: AuditEntry, sync: boolean): Promise<void> {
  const { warning } = await appendAudit(context.home, line, { sync });
  if (warning !== undefined) context.warn(warning);
}

function entry(
  context: CommandContext,
  invocation: Invocation | undefined,
  phase: AuditEntry['phase'],
  code: string | null,
  durationMs: number | null,
): AuditEntry {
  const { account, agent } = context.caller;
  return {
    at: isoTime(context.system.clock.now()),
    phase,
    command: invocation?.command.path ?? null,
    args: redact(shorten(invocation)),
    account: { user: account.user, uid: String(account.uid), host: account.host },
    agent: agent === null ? null : redactText(agent),
    request_id: context.requestId === undefined ? null : redactText(context.requestId),
    exit_code: phase === 'begin' ? null : code === null ? 0 : codeRow(code).exit,
    code,
    duration_ms: durationMs,
    ...(context.warnings.length > 0 && { note: redactText(context.warnings.join(' ')) }),
  };
}

function shorten(invocation: Invocation | undefined): JsonObject {
  if (invocation === undefined) return {};
  const args: Record<string, unknown> = { ...invocation.params };
  if (invocation.dryRun) args.dry_run = true;
  if (invocation.dangerous) args.dangerous = true;
  const size = JSON.stringify(args).length;
  return size > MAX_ARGUMENT_CHARACTERS ? { omitted_characters: size } : (args as JsonObject);
}

const MOST_WORDS = 4;

/** The leading words that look like a command. Flags, values and prompts are left out: which of them are secret is not known. */
function commandWords(typed: readonly string[]): string[] {
  const end = typed.findIndex((word) => !/^[a-z][\w-]{0,39}$/iu.test(word));
  return typed.slice(0, Math.min(end < 0 ? typed.length : end, MOST_WORDS));
}
