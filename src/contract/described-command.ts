import type { ErrorCode } from './generated.ts';
import type { OwnErrorCode } from './own-error-codes.ts';
import type { MembersOf, Shape } from './schema.ts';

export type ParametersOf<S extends Shape> = MembersOf<S>;

export interface Alias {
  /** The parameter that this alias sets. */
  readonly of: string;
  readonly deprecated: boolean;
}

/** The description of a command for `reference`, help and the parsers. */
export interface DescribedCommand<S extends Shape> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly params: S;
  /** Parameters that can also be passed by position, in this order. */
  readonly positionals?: readonly (keyof S & string)[];
  readonly aliases?: Readonly<Record<string, Alias>>;
  /** Paths in the output that contain untrusted text, such as `items[].title`. */
  readonly untrusted?: readonly string[];
  /** The fields that most callers need; over MCP, an answer has only these unless the caller selects others. */
  readonly keyFields?: readonly string[];
  /** Runnable invocations without the tool's name; a write shows dry run and confirm. */
  readonly examples: readonly string[];
  /** Codes that this command can return, in addition to the codes of every command. */
  readonly errors?: readonly (ErrorCode | OwnErrorCode)[];
  /** Set for a deprecated command: what to use instead. */
  readonly deprecated?: string;
  /**
   * Members of the output with the answer of a model, in a result and in the details of a fault. The answer is the product: only secrets
   * known by their value are masked in it, by the part that asked the model, and the rules for other text would alter it.
   */
  readonly modelAnswer?: readonly string[];
  /** For a write that must return a result in any case: in a dialect without gates it also runs if the audit log cannot be written. */
  readonly runsUnlogged?: true;
  /** Whether these parameters of a write only read, such as `--check`: the call then needs no token, and `run` gets an empty plan. */
  readonly onlyReads?: (params: ParametersOf<S>) => boolean;
  /** For descriptions of the tool itself: field names such as `token` are documentation, not secrets. */
  readonly selfDescription?: boolean;
  /** A query that answers also where the home must not be used, such as help; it is then not recorded. */
  readonly needsNoHome?: boolean;
}
