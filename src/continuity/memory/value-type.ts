import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import type { ValueType } from './memory.ts';

/** Checks a value against its declared type, or infers the type if none is declared. */
export function checkValueType(text: string, declared: ValueType | undefined): ValueType {
  const inferred = inferType(text);
  if (declared === undefined || declared === 'string' || declared === inferred) return declared ?? inferred;
  // An array is JSON too.
  if (declared === 'json' && inferred !== 'string') return 'json';
  throw new Fault('E_VALIDATION', `The value is not of type ${declared}; it is ${inferred}.`, {
    hint: `Pass a ${declared}, or omit the type.`,
    details: { field: 'value', expected: declared, found: inferred },
  });
}

/** Converts a JSON value to the stored text. */
export function renderMemoryValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}

function inferType(text: string): ValueType {
  if (text === 'true' || text === 'false') return 'boolean';
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u.test(text)) return 'number';
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return 'string';
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? 'array' : isPlainObject(value) ? 'json' : 'string';
  } catch {
    return 'string';
  }
}
