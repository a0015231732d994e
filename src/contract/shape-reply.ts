import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import type { Paint } from '../base/paint.ts';
import { redact, redactTexts } from '../base/secrets/redact.ts';
import { batchOutput } from './batch-output.ts';
import { effectOf, type Command } from './command.ts';
import { UNTRUSTED_KEY } from './generated.ts';
import type { FaultReply, ValueReply } from './reply.ts';
import type { Schema } from './schema.ts';
import { isSelected, selectFields, type Selection } from './select-fields.ts';

/** The output schema of a command; for a stream, of one item. */
export function outputOf(command: Command): Schema {
  if (command.kind === 'stream') return command.item;
  return command.kind === 'batch' ? batchOutput(command) : command.output;
}

/** Prepares an answer for output: masks secrets, marks untrusted text and selects fields. */
export function shapeValue(
  command: Command,
  data: JsonObject,
  fields: Selection | undefined,
): Pick<ValueReply, 'data' | 'text' | 'raw' | 'columns'> {
  const masked = command.selfDescription ? redactTexts(data) : redactExcept(data, command.modelAnswer);
  const whole = markUntrusted(command, masked);
  const selected = fields ? selectMarked(command, whole, fields) : whole;
  // The command's rendering is for its complete result, not for a preview or a selection.
  const isResult = fields === undefined && !('confirm_token' in whole);
  const renderText = 'renderText' in command && isResult ? command.renderText : undefined;
  const renderRaw = 'renderRaw' in command ? command.renderRaw : undefined;
  return {
    data: selected,
    ...(renderText && { text: (paint: Paint, columns: number) => renderText(selected, paint, columns) }),
    ...('columns' in command && isResult && { columns: command.columns }),
    ...(renderRaw && { raw: () => renderRaw(whole) }),
  };
}

/** Prepares a fault for output: masks secrets, and adds what its command shows to people. */
export function shapeFault(fault: Fault, command?: Command): Pick<FaultReply, 'fault' | 'text'> {
  const masked = maskFault(fault, command);
  const renderFault = command && 'renderFault' in command ? command.renderFault : undefined;
  return { fault: masked, ...(renderFault && { text: (paint: Paint) => renderFault(masked, paint) }) };
}

/** Masks secrets in the message, hint and details of a fault. */
export function maskFault(fault: Fault, command?: Command): Fault {
  const { message, hint } = redact({ message: fault.message, hint: fault.hint });
  const details = redactExcept(fault.details, command?.modelAnswer);
  return new Fault(fault.code, message, { ...(hint !== undefined && { hint }), details });
}

function redactExcept(data: JsonObject, verbatim: readonly string[] = []): JsonObject {
  const kept = Object.entries(data).filter(([name]) => verbatim.includes(name));
  return kept.length === 0 ? redact(data) : { ...redact(data), ...Object.fromEntries(kept) };
}

/** Selects fields. An answer of a read keeps all names in `_untrusted`, which callers may check; an answer of a write keeps only the names of selected fields. */
function selectMarked(command: Command, whole: JsonObject, fields: Selection): JsonObject {
  const selected = selectFields(whole, fields) as JsonObject;
  return effectOf(command) === 'read' ? selected : dropOtherMarks(selected, fields);
}

/** Drops the marks of fields that were not selected. */
export function dropOtherMarks(
  { [UNTRUSTED_KEY]: marks, ...data }: JsonObject,
  fields: Selection,
): JsonObject {
  if (!Array.isArray(marks)) return data;
  const kept = marks.filter((mark) => isSelected(String(mark), fields));
  return kept.length === 0 ? data : { ...data, [UNTRUSTED_KEY]: kept };
}

/** The state in a preview may be untrusted text, like the result. */
const UNTRUSTED_IN_PREVIEW = ['preview.changes[].before', 'preview.changes[].after'];

/** Lists the fields with untrusted text on the object that contains them; the answer itself can only add to the list. */
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
