import type { JsonObject } from '../../base/json.ts';

/** A journal write of an agent during its run; not visible outside the run before it is promoted. */
export interface StagedWrite extends JsonObject {
  readonly command: string;
  readonly params: JsonObject;
  readonly agent: string;
  readonly requestId: string | null;
  /** The recorded time, so that applying the write creates the same ids. */
  readonly nowMs: number;
  /** The random tails of the ids that the write created; stored under this name since 0.1.0. */
  readonly drawn: string[];
}
