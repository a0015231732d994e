import type { CommandContext } from '../../contract/command.ts';

/** What the server needs from the command that started it. */
export type WebHost = Pick<
  CommandContext,
  'tool' | 'table' | 'system' | 'home' | 'notices' | 'signal' | 'warn'
> & {
  /** Whether every write is refused. */
  readonly readOnly: boolean;
  /** The session that claims of tasks belong to. */
  readonly session: string;
  /** Called after every call. */
  readonly onCall: (effect: 'read' | 'write') => void;
};
