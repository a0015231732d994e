import type { JsonObject } from '../../base/json.ts';
import { UNTRUSTED_KEY } from '../../contract/generated.ts';
import type { FaultReply, ValueReply } from '../../contract/reply.ts';

const VERSION = 'v1';

/** Builds the envelope of an answer. */
export function envelope(reply: ValueReply | FaultReply, show: (data: JsonObject) => JsonObject): JsonObject {
  if (reply.kind === 'value') {
    const { [UNTRUSTED_KEY]: _, ...data } = reply.data;
    const marks = {
      ...(data.replayed === true && { replayed: true }),
      ...(data.payload_mismatch === true && { payload_mismatch: true }),
    };
    return { schema_version: VERSION, success: true, data: { ...show(data), ...marks } };
  }
  const { code, message, hint, details } = reply.fault;
  return {
    schema_version: VERSION,
    success: false,
    error: message,
    error_code: code,
    ...(Object.keys(details).length > 0 && { error_context: details }),
    ...(hint !== undefined && { suggested_action: adaptHint(hint) }),
  };
}

/** Replaces the command `reference`, which hints of the shared kernel mention but vybe does not have. */
function adaptHint(hint: string): string {
  return hint.replace(/^See: reference --command "(.*)"\.$/u, 'See: vybe $1 --help');
}
