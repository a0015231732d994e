import type { Server, ServerCapabilities, ServerContext, ServerEventBus } from '@modelcontextprotocol/server';
import type { ChangeFeed } from '../../app/change-feed.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { McpTools } from './tool-definitions.ts';

/** What the server needs from the command that started it. */
export type McpHost = Pick<
  CommandContext,
  'tool' | 'table' | 'system' | 'home' | 'notices' | 'signal' | 'warn'
> & {
  /** The session of the agents that call this server; claims made through another server exclude them. */
  readonly session: string;
  readonly offer: McpOffer;
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
  /** The answer of the user, if this call repeats a call that asked the user. */
  readonly answers: Readonly<Record<string, unknown>> | undefined;
  /** What the server sent along with the question. */
  readonly askedState: string | undefined;
}

/** What a server offers to its clients, apart from the commands of its program. */
export interface McpOffer {
  readonly instructions: string;
  readonly tools: McpTools;
  /** Paths of commands that models cannot call; all are available on the command line. */
  readonly withheld: RegExp;
  /** Commands that do more for a person than for an agent; clients ask their user to run them. */
  readonly decisions: ReadonlySet<string>;
  readonly features?: McpFeatures;
}

/** Resources, prompts and notifications about them. */
export interface McpFeatures {
  readonly capabilities: (canNotify: boolean) => ServerCapabilities;
  /** Answers the requests for them. */
  readonly handle: (server: Server, host: McpHost, callerOf: (context: ServerContext) => McpCaller) => void;
  readonly notifySubscriber: (server: Server, era: 'legacy' | 'modern', host: McpHost) => ChangeFeed;
  readonly createChangeBus: (host: McpHost) => ServerEventBus;
  /** Called when the server ends, after a write. */
  readonly close: (host: McpHost) => Promise<void>;
}
