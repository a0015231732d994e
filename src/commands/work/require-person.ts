import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';

/** The caller's name for a receipt: the agent, or the user account. */
export function personOrAgent({ caller }: CommandContext): string {
  return caller.agent ?? `user:${caller.account.user}`;
}

/** Rejects calls of agents for decisions that only a person may make. */
export function requirePerson(context: CommandContext, what: string): string {
  if (context.caller.agent === null) return personOrAgent(context);
  throw new Fault(
    'E_HUMAN_REQUIRED',
    `Only a person can ${what}; this call was made by agent ${context.caller.agent}.`,
    {
      hint: 'Ask a person to run the same command in a terminal.',
      details: { action: 'approve_run' },
    },
  );
}
