import { isPlainObject } from '../../base/json.ts';
import type { Paint } from '../../base/paint.ts';
import { printable } from '../../base/text.ts';

/** Renders any answer as text: rows as a table, a preview as a list of changes, everything else as named values. */
export function renderText(data: unknown, paint: Paint, columns: number): string {
  if (!isPlainObject(data)) return `${scalar(data)}\n`;
  if (isPlainObject(data.preview) && typeof data.confirm_token === 'string')
    return renderPreview(data, paint);
  if (Array.isArray(data.items)) return renderRows(data, paint, columns);
  return renderMembers(data, paint, columns, '');
}

function renderPreview(data: Record<string, unknown>, paint: Paint): string {
  const preview = data.preview as Record<string, unknown>;
  const changes = (preview.changes ?? []) as Record<string, unknown>[];
  const lines = changes.flatMap((change) => [
    `${paint.bold(scalar(change.action))} ${scalar(change.resource)} ${scalar(change.id)}`,
    ...(change.before === undefined ? [] : [paint.red(`  - ${scalar(change.before)}`)]),
    ...(change.after === undefined ? [] : [paint.green(`  + ${scalar(change.after)}`)]),
  ]);
  const unresolved = ((preview.unresolved ?? []) as Record<string, unknown>[]).map((row) =>
    paint.yellow(`not possible: ${scalar(row.target)} (${scalar(row.error)})`),
  );
  return `${[...lines, ...unresolved].join('\n')}\n\nNothing was changed. To apply, before ${scalar(data.expires_at)}:\n  --confirm ${scalar(data.confirm_token)}\n`;
}

function renderRows(data: Record<string, unknown>, paint: Paint, columns: number): string {
  const rows = data.items as unknown[];
  const { items: _, _untrusted: __, count: ___, has_more: ____, next_cursor, ...others } = data;
  const table = rows.length === 0 ? paint.dim('no results\n') : renderTable(rows, paint, columns);
  const rest = Object.keys(others).length === 0 ? '' : `\n${renderMembers(others, paint, columns, '')}`;
  const more = typeof next_cursor === 'string' ? paint.dim(`more: --cursor ${next_cursor}\n`) : '';
  return `${table}${rest}${more}`;
}

function renderTable(rows: readonly unknown[], paint: Paint, columns: number): string {
  if (!rows.every(isPlainObject)) return rows.map((row) => `${scalar(row)}\n`).join('');
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== '_untrusted');
  const cells = rows.map((row) => names.map((name) => scalar(row[name])));
  const room = Math.max(12, Math.floor((columns - 2 * names.length) / Math.max(1, names.length)) * 2);
  const widths = names.map((name, index) =>
    Math.min(room, Math.max(name.length, ...cells.map((row) => row[index]?.length ?? 0))),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => fit(cell, widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return `${paint.bold(line(names))}\n${cells.map((row) => `${line(row)}\n`).join('')}`;
}

function renderMembers(data: Record<string, unknown>, paint: Paint, columns: number, indent: string): string {
  const entries = Object.entries(data).filter(
    ([name, value]) => name !== '_untrusted' && value !== undefined,
  );
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => {
      if (isPlainObject(value) && Object.keys(value).length > 0) {
        return `${indent}${paint.bold(name)}\n${renderMembers(value, paint, columns, `${indent}  `)}`;
      }
      if (Array.isArray(value) && value.some(isPlainObject)) {
        const table = renderTable(value, paint, columns - indent.length - 2);
        return `${indent}${paint.bold(name)}\n${table.replaceAll(/^(?=.)/gmu, `${indent}  `)}`;
      }
      return `${indent}${paint.bold(name.padEnd(width))}  ${scalar(value)}\n`;
    })
    .join('');
}

/** Renders one value on one line, without control characters. */
function scalar(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return printable(value).replaceAll('\n', ' ');
  if (Array.isArray(value) && !value.some((item) => typeof item === 'object'))
    return value.map(scalar).join(', ');
  return printable(JSON.stringify(value) ?? '');
}

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text.padEnd(width);
}
