/** The dependencies of a connection to a tool server. */
export interface McpDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths. */
  readonly cwd: string;
  readonly fetch: typeof fetch;
  readonly version: string;
  /** Environment variables that identify the session in every server process. */
  readonly sessionEnv?: Readonly<Record<string, string>>;
}
