import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import type { ValueType } from './memory.ts';

/** Reads the text of a value as the type it claims, or finds the type that fits when none is claimed. */
export function checkValueType(text: string, claimed: ValueType | undefined): ValueType {
  const found = inferType(text);
  if (claimed === undefined || claimed === 'string' || claimed === found) return claimed ?? found;
  // An array is JSON too.
  if (claimed === 'json' && found !== 'string') return 'json';
  throw new Fault('E_VALIDATION', `The value is not of type ${claimed}; it reads as ${found}.`, {
    hint: `Send a ${claimed}, or leave the type out.`,
    details: { field: 'value', expected: claimed, found },
  });
}

/** Writes any JSON value as the text that is stored. */
export function valueText(value: unknown): string {
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
