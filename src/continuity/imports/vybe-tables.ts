type Row = Readonly<Record<string, unknown>>;

/** The tables of a store of the Go program vybe; columns depend on its schema version. */
export interface VybeTables {
  readonly schemaVersion: number;
  readonly tasks: readonly Row[];
  readonly dependencies: readonly Row[];
  readonly events: readonly Row[];
  readonly memories: readonly Row[];
  readonly artifacts: readonly Row[];
}

/** Reads a store of the Go program vybe. Contract: changes nothing; returns undefined if the file is not a store of vybe. */
export type ReadVybeTables = (path: string) => VybeTables | undefined;
