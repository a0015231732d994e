import { expect, it } from 'vitest';
import { createPaint } from '../../base/paint.ts';
import { renderPreview } from './render-preview.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function linesOf(change: object, columns = Infinity): string[] {
  const data = {
    preview: { changes: [{ action: 'set', resource: 'thing', id: 'x', ...change }] },
    confirm_token: 'ct_x',
    expires_at: '2026-01-01T00:15:00Z',
  };
  const text = renderPreview(data, { paint: createPaint(false, {}), columns, nowMs: NOW }, undefined);
  return text.slice(0, text.indexOf('\n\nNothing was changed')).split('\n');
}

it('a preview shows the values of a change on one line, then its lists and objects', () => {
  const before = { name: 'old', empty: [], none: {} };
  const after = {
    name: 'new',
    files: ['a', 'b'],
    limits: { files: 1, of: { deep: true } },
    rows: [{ id: 1 }],
  };
  expect(linesOf({ before, after })).toEqual([
    'set thing x',
    '  - name old',
    '  + name new',
    '    files: a, b',
    '    limits: files 1',
    '      of: deep true',
    '    rows:',
    '      id 1',
  ]);
});

it('a preview without values of its own starts with its lists and objects', () => {
  expect(linesOf({ before: {}, after: { value: { list: ['a'] } } })).toEqual([
    'set thing x',
    '  - -',
    '  +',
    '    value:',
    '      list: a',
  ]);
});

it('a preview cuts a long list of objects, and names how many are left out', () => {
  const rows = Array.from({ length: 25 }, (_, id) => ({ id }));
  const lines = linesOf({ after: { rows } });
  expect(lines).toHaveLength(1 + 2 + 20 + 1);
  expect(lines.at(-1)).toBe('      and 5 more; --format json lists them');
});
