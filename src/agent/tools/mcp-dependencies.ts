/** What a connection to a tool server needs of the deps. */
export interface McpDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative folders begin. */
  readonly cwd: string;
  readonly fetch: typeof fetch;
  readonly version: string;
  /** Added to the environment of every server that is started, so that its origin can be told later. */
  readonly marks?: Readonly<Record<string, string>>;
}
