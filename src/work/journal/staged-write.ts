import type { JsonObject } from '../../base/json.ts';

/** One write that an agent made in the journal while it worked; nobody outside of its run sees it before the run is promoted. */
export interface StagedWrite extends JsonObject {
  readonly command: string;
  readonly params: JsonObject;
  readonly agent: string;
  readonly requestId: string | null;
  /** The time and the random words that it was made with, so that it comes out with the same ids. */
  readonly nowMs: number;
  readonly drawn: string[];
}
