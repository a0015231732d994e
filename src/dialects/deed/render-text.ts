import { isPlainObject } from '../../base/json.ts';
import { omit } from '../../base/omit.ts';
import { wrapText } from '../../base/wrap-text.ts';
import { renderPreview } from './render-preview.ts';
import { cell, isHash, timeCell } from './text-cell.ts';
import { renderTable, type TableLayout } from './text-table.ts';

/** Renders any answer as text: rows as a table, a preview as a list of changes, everything else as named values. */
export function renderText(data: unknown, layout: TableLayout, next?: (token: string) => string): string {
  if (!isPlainObject(data)) return `${cell(data)}\n`;
  if (isPlainObject(data.preview) && typeof data.confirm_token === 'string')
    return renderPreview(data, layout, next);
  if (Array.isArray(data.items)) return renderRows(data, layout);
  return renderMembers(data, layout, '');
}

function renderRows(data: Record<string, unknown>, layout: TableLayout): string {
  const { paint } = layout;
  const rows = data.items as unknown[];
  const { count, next_cursor, total } = data;
  const others = omit(data, 'items', '_untrusted', 'count', 'has_more', 'next_cursor', 'total');
  const table = rows.length === 0 ? paint.dim('no results\n') : renderTable(rows, layout);
  const rest =
    Object.keys(others).length === 0 ? '' : `\n${renderMembers(others, { ...layout, shown: undefined }, '')}`;
  const shown = typeof total === 'number' ? `${cell(count)} of ${total}; ` : '';
  const more = typeof next_cursor === 'string' ? paint.dim(`${shown}more: --cursor ${next_cursor}\n`) : '';
  return `${table}${rest}${more}`;
}

function renderMembers(data: Record<string, unknown>, layout: TableLayout, indent: string): string {
  const { paint, columns, nowMs } = layout;
  const entries = Object.entries(data).filter(
    ([name, value]) => name !== '_untrusted' && value !== undefined && !isHash(value),
  );
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => {
      if (isPlainObject(value) && Object.keys(value).length > 0)
        return `${indent}${paint.bold(name)}\n${renderMembers(value, layout, `${indent}  `)}`;
      if (Array.isArray(value) && value.some(isPlainObject)) {
        const table = renderTable(value, { ...layout, columns: columns - indent.length - 2 });
        return `${indent}${paint.bold(name)}\n${table.replaceAll(/^(?=.)/gmu, `${indent}  `)}`;
      }
      const time = timeCell(value, nowMs);
      const text = time === undefined ? cell(value) : `${cell(value)} ${paint.dim(`(${time})`)}`;
      const start = indent.length + width + 2;
      return `${indent}${paint.bold(name.padEnd(width))}  ${wrapText(text, start, columns)}\n`;
    })
    .join('');
}
