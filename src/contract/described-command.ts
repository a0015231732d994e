import type { ErrorCode } from './generated.ts';
import type { MembersOf, Shape } from './schema.ts';

export type ParametersOf<S extends Shape> = MembersOf<S>;

export interface Alias {
  /** The parameter that this older name stands for. */
  readonly of: string;
  readonly deprecated: boolean;
}

/** What `reference`, help and the parsers know of a command. */
export interface DescribedCommand<S extends Shape> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly params: S;
  /** Parameters that may also be given by position, in this order. */
  readonly positionals?: readonly (keyof S & string)[];
  readonly aliases?: Readonly<Record<string, Alias>>;
  /** Paths into the output that hold text from outside, such as `items[].title`. */
  readonly untrusted?: readonly string[];
  /** Runnable invocations without the tool's name; a write shows dry run and confirm. */
  readonly examples: readonly string[];
  /** Codes this command can end with, beyond those every command has. */
  readonly errors?: readonly ErrorCode[];
  /** Set when the command is kept only for old callers; says what to use instead. */
  readonly deprecated?: string;
  /** For descriptions of the tool itself: field names such as `token` are documentation, not secrets. */
  readonly selfDescription?: boolean;
}
