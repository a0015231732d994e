import type { JsonObject } from '../base/json.ts';

/** One change of a plan, as previews show it. */
export interface Change {
  readonly action: string;
  readonly resource: string;
  readonly id: string;
  readonly before?: JsonObject | null;
  readonly after?: JsonObject | null;
  /** The version of the target that the plan saw; bound into the token. */
  readonly version?: string | null;
}

/** The changes a write would make, with the versions they rest on. */
export interface Plan {
  readonly changes: readonly Change[];
}
