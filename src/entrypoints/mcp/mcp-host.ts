import type { CommandContext } from '../../contract/command.ts';

/** What the server needs from the command that started it. */
export type McpHost = Pick<CommandContext, 'tool' | 'table' | 'system' | 'notices' | 'signal' | 'warn'> & {
  /** Called after every call. */
  readonly onCall: () => void;
};

/** The client of a call. */
export interface McpCaller {
  /** The client's name, as it reports it. */
  readonly client: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}
