import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { settingsOf } from '../../config/settings-of.ts';
import type { CommandContext } from '../../contract/command.ts';

const PROGRAM_SETTING = 'work.allow_program_approval';

/** The caller's name for a receipt: the agent, or the user account. */
export function personOrAgent({ caller }: CommandContext): string {
  return caller.agent ?? `user:${caller.account.user}`;
}

/**
 * The name of the caller that decides about a run. A person types the command in a terminal, answers a question of an MCP client, or
 * signed in to the web pages with a link that a terminal showed; a call without any of these was made by a program, which needs the
 * consent of the home's settings and is recorded as a program.
 */
export function requireDecider(context: CommandContext, what: string, details: JsonObject = {}): string {
  const { caller, system } = context;
  if (caller.agent !== null)
    throw personRequired(`Only a person can ${what}; this call was made by agent ${caller.agent}.`, details);
  if (caller.answered === true || system.hasTerminal?.() === true) return personOrAgent(context);
  if (isProgramAllowed(context)) return `program:${caller.account.user}`;
  throw personRequired(
    `Only a person can ${what}; this call has no terminal, so a program may have made it.`,
    details,
  );
}

/** How a program finds out what the person decided. */
export function showsRun(id: string, { tool }: CommandContext): JsonObject {
  return { resume: `${tool.name} work show ${id}` };
}

function isProgramAllowed({ tool, system, home }: CommandContext): boolean {
  const settings = settingsOf({ tool, system, home });
  return settings.get(PROGRAM_SETTING).value === true;
}

function personRequired(message: string, details: JsonObject): Fault {
  return new Fault('E_HUMAN_REQUIRED', message, {
    hint: `Ask a person to run the same command in a terminal. To let programs decide: deed config set ${PROGRAM_SETTING} true`,
    details: { action: 'approve_run', setting: PROGRAM_SETTING, ...details },
  });
}
