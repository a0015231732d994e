import { printable } from './text.ts';

/** A value as text on one line, without control characters; "-" for a missing one. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return printable(text).replaceAll(/\s*[\n\t]\s*/gu, ' ');
}
