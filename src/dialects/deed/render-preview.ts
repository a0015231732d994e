import { isPlainObject } from '../../base/json.ts';
import { wrapText } from '../../base/wrap-text.ts';
import { cell, isFlat } from './text-cell.ts';
import type { TableLayout } from './text-table.ts';

/** Renders a preview as a list of changes, with the command that applies it. */
export function renderPreview(
  data: Record<string, unknown>,
  { paint, nowMs, columns }: TableLayout,
  next: ((token: string) => string) | undefined,
): string {
  const preview = data.preview as Record<string, unknown>;
  const changes = (preview.changes ?? []) as Record<string, unknown>[];
  const side = (sign: string, value: unknown): string[] =>
    value === undefined ? [] : renderSide(sign, value, columns);
  const lines = changes.flatMap((change) => [
    `${paint.bold(cell(change.action))} ${cell(change.resource)} ${cell(change.id)}`,
    ...side('-', change.before).map((line) => paint.red(line)),
    ...side('+', change.after).map((line) => paint.green(line)),
  ]);
  const unresolved = ((preview.unresolved ?? []) as Record<string, unknown>[]).map((row) =>
    paint.yellow(`not possible: ${cell(row.target)} (${cell(row.error)})`),
  );
  const token = cell(data.confirm_token);
  const until = Math.round((Date.parse(cell(data.expires_at)) - nowMs) / 60_000);
  return `${[...lines, ...unresolved].join('\n')}\n\nNothing was changed. To apply, within ${until} minutes:\n  ${next?.(token) ?? `--confirm ${token}`}\n`;
}

/** One side of a change: its values on one line, then each of its lists and objects. */
function renderSide(sign: string, value: unknown, columns: number): string[] {
  const nested = renderNested(value, 4, columns);
  const isNested = nested.length > 0 && !hasValues(value);
  return [isNested ? `  ${sign}` : `  ${sign} ${wrapText(cell(value), 4, columns)}`, ...nested];
}

/** A longer list of objects is cut; the JSON has all of it. */
const MAX_ROWS = 20;

/** Renders the lists and objects of an object, each with its name; empty ones are left out. */
function renderNested(value: unknown, indent: number, columns: number): string[] {
  if (!isPlainObject(value)) return [];
  const line = (text: string, at = indent): string => `${' '.repeat(at)}${wrapText(text, at + 2, columns)}`;
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member !== 'object' || member === null || Object.keys(member).length === 0) return [];
    if (!Array.isArray(member))
      return [
        line(hasValues(member) ? `${name}: ${cell(member)}` : `${name}:`),
        ...renderNested(member, indent + 2, columns),
      ];
    if (member.every(isFlat)) return [line(`${name}: ${cell(member)}`)];
    const rows = member.slice(0, MAX_ROWS).map((row) => line(cell(row), indent + 2));
    const more = member.length - rows.length;
    const rest = more > 0 ? [line(`and ${more} more; --format json lists them`, indent + 2)] : [];
    return [line(`${name}:`), ...rows, ...rest];
  });
}

function hasValues(value: unknown): boolean {
  return !isPlainObject(value) || Object.values(value).some(isFlat);
}
