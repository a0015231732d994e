import type { ToolCallContext } from '../tool-host.ts';
import type { SignInStore } from './oauth/sign-in-store.ts';
import type { ServerSource } from '../config/server-source.ts';

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly annotations?:
    | { readonly readOnlyHint?: boolean | undefined; readonly idempotentHint?: boolean | undefined }
    | undefined;
  /** What a call does, for a tool that the server does not have itself; a call of the tool otherwise. */
  readonly action?: McpAction;
}

/** Ways to use the resources and prompts of a server. */
export type McpAction = 'list-resources' | 'read-resource' | 'list-prompts' | 'get-prompt';

/** What a server may use while one of its calls runs. */
export type McpCallContext = Pick<ToolCallContext, 'signal' | 'ask' | 'sample'>;

/** The dependencies of a connection to a tool server. */
export interface McpDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths. */
  readonly cwd: string;
  readonly fetch: typeof fetch;
  readonly version: string;
  /** The files that configure the server; without them, paths and placeholders resolve from `cwd` and `env` alone. */
  readonly source?: ServerSource;
  /** Called when the server announces that its tools have changed. */
  readonly onToolsChanged?: () => void;
  /** The sign-ins of the account, for servers over HTTP without an `Authorization` header. */
  readonly signIns?: SignInStore;
  /** The trace context of the session, for server processes. */
  readonly traceparent?: string;
  /** Environment variables that identify the session in every server process. */
  readonly sessionEnv?: Readonly<Record<string, string>>;
}
