import type { CommandContext } from '../../contract/command.ts';

/** What the server needs of the command that started it. */
export type McpHost = Pick<CommandContext, 'tool' | 'table' | 'system' | 'notices' | 'signal' | 'warn'> & {
  /** Called for every call that was answered, whatever the answer. */
  readonly onCall: () => void;
};

/** Who asks, and how to reach them while their call runs. */
export interface McpCaller {
  /** The name that the client gave itself. */
  readonly client: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}
