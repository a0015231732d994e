import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';

const FOLDER = join(ROOT, 'docs/contracts');

describe.each(readdirSync(FOLDER))('docs/contracts/%s', (document) => {
  const text = readFileSync(join(FOLDER, document), 'utf8');
  const rows = [...text.matchAll(/^\| (?!-|promise)(.+?) \| `(.+?)` \| (.+?) \|$/gmu)];

  it('maps every promise to a test', () => {
    const lines = text
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:-|promise)/u.test(line));
    expect(lines.length).toBeGreaterThan(10);
    expect(rows.length).toBe(lines.length);
  });

  it.each(rows.map(([, promise, file, name]) => ({ promise, file, name })))(
    '$promise',
    ({ file = '', name = '' }) => {
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(name);
    },
  );
});

describe('docs/moving-from-vybe.md', () => {
  const rows = readFileSync(join(ROOT, 'docs/moving-from-vybe.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
    .filter((cells) => cells.at(-1) !== 'test');

  it('names a test for everything that stays the same, and a reason and a test for everything that differs', () => {
    const sizes = rows.map((cells) => cells.length);
    expect(sizes.filter((size) => size === 3).length).toBeGreaterThan(20);
    expect(sizes.filter((size) => size === 5).length).toBeGreaterThan(20);
    expect(sizes.filter((size) => size !== 3 && size !== 5)).toEqual([]);
  });

  it.each(rows.map((cells) => ({ what: cells[0], file: cells.at(-2), name: cells.at(-1) })))(
    '$what',
    ({ file = '', name = '' }) => {
      expect(readFileSync(join(ROOT, file.replaceAll('`', '')), 'utf8')).toContain(name);
    },
  );
});
