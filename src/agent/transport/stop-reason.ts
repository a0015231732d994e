/** Stop reasons of the provider APIs; Google writes them in capitals. */
const COMPLETE = new Set(['stop', 'end_turn', 'end', 'eos']);
const TRUNCATED = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'model_context_window_exceeded',
]);
const WITHHELD = new Set([
  'content_filter',
  'content-filter',
  'refusal',
  'safety',
  'prohibited_content',
  'blocklist',
  'spii',
  'recitation',
]);

/** Returns whether the model ended its response by itself. */
export function isComplete(stopReason: string | undefined): boolean {
  return stopReason !== undefined && COMPLETE.has(stopReason.toLowerCase());
}

/** Returns whether the response was cut off at the output limit. */
export function isTruncated(stopReason: string | undefined): boolean {
  return stopReason !== undefined && TRUNCATED.has(stopReason.toLowerCase());
}

/** Returns whether a filter of the provider stopped the response. */
export function isWithheld(stopReason: string | undefined): boolean {
  return stopReason !== undefined && WITHHELD.has(stopReason.toLowerCase());
}
