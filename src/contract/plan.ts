import type { JsonObject } from '../base/json.ts';
import { sha256 } from '../system/digest.ts';

/** One change of a plan, as previews show it. */
export interface Change {
  readonly action: string;
  readonly resource: string;
  readonly id: string;
  readonly before?: JsonObject | null;
  readonly after?: JsonObject | null;
  /** The version of the target at planning time; a part of the confirm token. */
  readonly version?: string | null;
}

/** The changes a write would make, with the versions they depend on. */
export interface Plan {
  readonly changes: readonly Change[];
}

/** The version of a target: the hash of its state. */
export function versionOf(state: string | Uint8Array): string {
  return sha256(state);
}
