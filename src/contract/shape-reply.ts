import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import type { Paint } from '../base/paint.ts';
import { redact, redactTexts } from '../base/secrets/redact.ts';
import { batchOutput } from './batch-output.ts';
import { effectOf, type Command } from './command.ts';
import { UNTRUSTED_KEY } from './generated.ts';
import { listFields } from './output-fields.ts';
import type { ValueReply } from './reply.ts';
import type { Schema } from './schema.ts';
import { parseFields, selectFields, type Selection } from './select-fields.ts';

/** The schema of what a command answers; for a stream, of one item. */
export function outputOf(command: Command): Schema {
  if (command.kind === 'stream') return command.item;
  return command.kind === 'batch' ? batchOutput(command) : command.output;
}

/** Reads the caller's choice of fields before anything runs, so that a typo costs nothing. */
export function chooseFields(command: Command, fields: readonly string[] | undefined): Selection | undefined {
  return fields ? parseFields(fields, listFields(outputOf(command))) : undefined;
}

/** Makes an answer fit to leave the process: secrets masked, outside text marked, only the chosen fields. */
export function shapeValue(
  command: Command,
  data: JsonObject,
  fields: Selection | undefined,
): Pick<ValueReply, 'data' | 'text' | 'raw'> {
  const masked = command.selfDescription ? redactTexts(data) : redact(data);
  const whole = markUntrusted(command, masked);
  const selected = fields ? (selectFields(whole, fields) as JsonObject) : whole;
  // A preview and a selection have forms of their own; the command's rendering is for its whole result.
  const isResult = fields === undefined && !('confirm_token' in whole);
  const renderText = 'renderText' in command && isResult ? command.renderText : undefined;
  const renderRaw = 'renderRaw' in command ? command.renderRaw : undefined;
  return {
    data: selected,
    ...(renderText && { text: (paint: Paint) => renderText(selected, paint) }),
    ...(renderRaw && { raw: () => renderRaw(whole) }),
  };
}

/** Masks secrets in everything a fault tells. */
export function maskFault(fault: Fault): Fault {
  const { message, hint, details } = redact({
    message: fault.message,
    hint: fault.hint,
    details: fault.details,
  });
  return new Fault(fault.code, message, { ...(hint !== undefined && { hint }), details });
}

/** What a preview shows of the state may be text from outside just like the result. */
const UNTRUSTED_IN_PREVIEW = ['preview.changes[].before', 'preview.changes[].after'];

/** Names the fields with text from outside once, on the object that owns them; what the answer itself says can only add to it. */
function markUntrusted(command: Command, data: JsonObject): JsonObject {
  if (!command.untrusted?.length) return data;
  const isPreview = effectOf(command) === 'write' && 'confirm_token' in data;
  const { [UNTRUSTED_KEY]: already } = data;
  const marks = [
    ...(Array.isArray(already) ? already : []),
    ...(isPreview ? UNTRUSTED_IN_PREVIEW : command.untrusted),
  ];
  return { ...data, [UNTRUSTED_KEY]: [...new Set(marks)] };
}
