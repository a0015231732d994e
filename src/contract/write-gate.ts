import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Change, Plan } from './plan.ts';
import type { BatchCommand, WriteCommand, CommandContext } from './command.ts';
import type { Home } from './home.ts';
import { issueToken, verifyToken, type ParsedToken } from './confirm-token.ts';
import { openSecret, readSecret } from '../system/secret.ts';

/** What a token is bound to besides the plan. */
export interface GateRequest {
  readonly command: WriteCommand | BatchCommand;
  readonly params: Readonly<Record<string, unknown>>;
  readonly token: ParsedToken | undefined;
  readonly dangerous: boolean;
  /** Whether a batch continues after a failure; null for a single write. */
  readonly continueOnError: boolean | null;
}

/** A plan in the form that a token binds: each target with its version. */
export type Targets = readonly {
  readonly id: string;
  readonly action: string;
  readonly version: string | null;
}[];

export function targetsOf(plan: Plan): Targets {
  return plan.changes.map(targetOf);
}

export function targetOf(change: Change): Targets[number] {
  return { id: change.id, action: change.action, version: change.version ?? null };
}

/** The answer of a dry run: the preview, and a token for exactly this operation. */
export function offerToken(
  request: GateRequest,
  targets: Targets,
  preview: JsonObject,
  context: CommandContext,
): JsonObject {
  const issued = issueToken(
    scopeOf(request, targets, context),
    confirmKey(context),
    context.system.clock.now(),
  );
  return { preview, confirm_token: issued.token, expires_at: issued.expiresAt };
}

/** Checks that a write has `--dangerous` if needed and a valid token, which is not used up yet. Throws otherwise. */
export function checkGate(request: GateRequest, targets: Targets, context: CommandContext): ParsedToken {
  const { command, token } = request;
  if (token === undefined) {
    throw new Fault('E_CONFIRMATION_REQUIRED', `"${command.path}" is a write and needs a confirm token.`, {
      hint: 'Run it with --dry-run first; then repeat it with --confirm and the confirm_token from the answer.',
      details: { next: 'dry-run', dangerous: command.gate === 'dangerous' },
    });
  }
  if (command.gate === 'dangerous' && !request.dangerous) {
    throw new Fault(
      'E_CONFIRMATION_REQUIRED',
      `"${command.path}" cannot be undone and needs --dangerous as well.`,
      {
        hint: 'Repeat the call with --dangerous; the token is still valid.',
        details: { next: 'dangerous', dangerous: true },
      },
    );
  }
  verifyToken(token, scopeOf(request, targets, context), confirmKey(context), context.system.clock.now());
  return token;
}

function scopeOf(request: GateRequest, targets: Targets, context: CommandContext): JsonValue {
  const { account, agent } = context.caller;
  return {
    command: request.command.path,
    arguments: request.params as JsonObject,
    continue_on_error: request.continueOnError,
    targets,
    account: { uid: account.uid, host: account.host, agent },
    permission: {
      euid: account.euid,
      home: context.home.path,
      database: databaseOf(request, context),
    },
    request_id: context.requestId ?? null,
  };
}

function databaseOf({ command, params }: GateRequest, context: CommandContext): string | null {
  return command.kind === 'write' ? (command.database?.(params, context) ?? null) : null;
}

/** Whether the key of confirm tokens exists; throws with a fix when it is damaged or readable by other users. */
export function hasConfirmKey(home: Home): boolean {
  return readSecret(home.at(CONFIRM_KEY), CONFIRM_OPTIONS) !== undefined;
}

const CONFIRM_KEY = 'confirm.secret';
const CONFIRM_OPTIONS = { removal: 'existing confirm tokens become invalid' };

function confirmKey(context: CommandContext): Uint8Array {
  return openSecret(join(context.home.folder(), CONFIRM_KEY), CONFIRM_OPTIONS);
}
