import type { JsonObject } from '../../base/json.ts';

/**
 * A report as a transport found it, before anything is believed of it. What belongs to the transport stands beside the payload,
 * never in it, so that no field of a user's schema can be mistaken for ours.
 */
export interface ReportCandidate {
  readonly source: 'native' | 'xml' | 'text';
  /** The id of the native call, which must be answered when the report is rejected. */
  readonly callId?: string;
  /** The format that the model claims. */
  readonly format?: string;
  /** Arguments of the native tool, or the text of a tag. */
  readonly payload: JsonObject | string;
}
