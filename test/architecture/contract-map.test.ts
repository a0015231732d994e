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
