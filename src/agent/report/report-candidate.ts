import type { JsonObject } from '../../base/json.ts';

/**
 * A report as the transport extracted it, before validation. Transport data is kept outside the payload, so that it never mixes with
 * fields of the user's schema.
 */
export interface ReportCandidate {
  readonly source: 'native' | 'xml' | 'text';
  /** The id of the native call; a rejected report needs a response to it. */
  readonly callId?: string;
  /** The format that the model states. */
  readonly format?: string;
  /** Arguments of the native tool, or the text of a tag. */
  readonly payload: JsonObject | string;
  /** It was cut off at the output limit. */
  readonly isCutOff?: boolean;
}
