import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';

/** Who calls, for a receipt: the agent, or the account of the person. */
export function personOrAgent({ caller }: CommandContext): string {
  return caller.agent ?? `user:${caller.account.user}`;
}

/** Some decisions are a person's alone; an agent is told whom to ask. */
export function requirePerson(context: CommandContext, what: string): string {
  if (context.caller.agent === null) return personOrAgent(context);
  throw new Fault(
    'E_HUMAN_REQUIRED',
    `Only a person can ${what}, and this call is an agent’s (${context.caller.agent}).`,
    {
      hint: 'Relay it to the person, who runs the same command in a terminal of their own.',
      details: { action: 'approve_run' },
    },
  );
}
