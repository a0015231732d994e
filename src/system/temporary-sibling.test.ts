import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { removeAbandonedSiblings, temporarySibling } from './temporary-sibling.ts';

test('only siblings of exited processes are removed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deed-sibling-'));
  try {
    const path = join(folder, 'deed');
    const own = temporarySibling(path, 'new');
    expect([dirname(own), basename(own)]).toEqual([
      folder,
      expect.stringMatching(/^\.deed-\d+-[0-9a-f]{32}\.new$/u),
    ]);
    // The largest pid that Linux gives is 4194304.
    const gone = (base: string, kind: string): string =>
      join(folder, `.${base}-4999999-${'a'.repeat(32)}.${kind}`);
    for (const name of [
      path,
      own,
      gone('deed', 'new'),
      gone('deed', 'old'),
      gone('other', 'new'),
      join(folder, '.deed-rc'),
    ]) {
      writeFileSync(name, '');
    }
    mkdirSync(gone('deed', 'update'));
    removeAbandonedSiblings(path, ['new', 'update']);
    expect(readdirSync(folder).sort()).toEqual(
      [path, own, gone('deed', 'old'), gone('other', 'new'), join(folder, '.deed-rc')]
        .map((name) => basename(name))
        .sort(),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a missing folder is ignored', () => {
  expect(() => removeAbandonedSiblings('/nonexistent/deed', ['new'])).not.toThrow();
});
