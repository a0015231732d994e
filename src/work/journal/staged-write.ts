import type { JsonObject } from '../../base/json.ts';

/** A journal write of an agent during its run; not visible outside the run before it is promoted. */
export interface StagedWrite extends JsonObject {
  readonly command: string;
  readonly params: JsonObject;
  readonly agent: string;
  readonly requestId: string | null;
  /** The recorded time and random values, so that applying the write creates the same ids. */
  readonly nowMs: number;
  readonly drawn: string[];
}
