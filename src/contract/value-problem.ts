/** What is wrong with a value, or with a part of it. */
export interface ValueProblem {
  /** The location in the value, outermost first. */
  readonly path: readonly PropertyKey[];
  readonly problem: string;
  /** The unknown member of an object. */
  readonly unknown?: string | undefined;
}
