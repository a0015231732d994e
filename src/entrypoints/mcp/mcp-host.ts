import type { CommandContext } from '../../contract/command.ts';

/** What the server needs from the command that started it. */
export type McpHost = Pick<
  CommandContext,
  'tool' | 'table' | 'system' | 'home' | 'notices' | 'signal' | 'warn'
> & {
  /** The session of the agents that call this server; claims made through another server exclude them. */
  readonly session: string;
  /** Called after every call. */
  readonly onCall: (effect: 'read' | 'write') => void;
};

/** The client of a call. */
export interface McpCaller {
  /** The client's name, as it reports it. */
  readonly client: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  readonly warn: (message: string) => void;
  /** Whether the client can show a question to its user. */
  readonly canAsk: boolean;
  /** The answer of the user, if this call repeats one that asked. */
  readonly answers: Readonly<Record<string, unknown>> | undefined;
  /** What the server sent along with the question. */
  readonly askedState: string | undefined;
}
