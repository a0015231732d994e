import { describe, expect, it } from 'vitest';
import { pairLines, parseDiff } from './parse-diff.ts';

const DIFF = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,1 @@
+hello
`;

describe('a diff', () => {
  it('has files with numbered lines', () => {
    const files = parseDiff(DIFF, false);
    expect(files?.map(({ path }) => path)).toEqual(['a.txt', 'new.txt']);
    expect(files?.[0]?.hunks[0]?.lines).toEqual([
      { kind: 'same', old: 1, new: 1, text: 'one' },
      { kind: 'delete', old: 2, new: undefined, text: 'two' },
      { kind: 'add', old: undefined, new: 2, text: '2' },
      { kind: 'same', old: 3, new: 3, text: 'three', isUnended: true },
    ]);
  });

  it('keeps spaces at the ends of names, which would merge two files', () => {
    const created = (name: string, line: string): string =>
      `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\t\n@@ -0,0 +1 @@\n+${line}\n`;
    const deleted = `diff --git a/old  b/old \ndeleted file mode 100644\n--- a/old \t\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`;
    const files = parseDiff(
      `${created('end', '1')}${created('end ', '2')}${created(' a', '+++ b/c')}${deleted}`,
      false,
    );
    expect(files?.map(({ path, hunks }) => [path, hunks[0]?.lines[0]?.text])).toEqual([
      ['end', '1'],
      ['end ', '2'],
      [' a', '+++ b/c'],
      ['old ', 'x'],
    ]);
  });

  it('says what its lines do not show', () => {
    const of = (name: string, ...lines: string[]): string =>
      [`diff --git a/${name} b/${name}`, ...lines, ''].join('\n');
    const text = [
      of('tool.sh', 'old mode 100644', 'new mode 100755'),
      of('data.sh', 'old mode 100755', 'new mode 100644'),
      of('empty', 'new file mode 100644', 'index 0000000..e69de29'),
      of('icon.png', 'index 1..2 100644', 'Binary files a/icon.png and b/icon.png differ'),
      of('link', 'new file mode 120000', '--- /dev/null', '+++ b/link', '@@ -0,0 +1 @@', '+/etc/passwd'),
      of('win.txt', '--- a/win.txt', '+++ b/win.txt', '@@ -1 +1 @@', '-a\r', '+b\r'),
      of('mixed.txt', '--- a/mixed.txt', '+++ b/mixed.txt', '@@ -1 +1 @@', '-a', '+b\r'),
    ].join('');
    const shown = parseDiff(text, false)?.map(({ path, notes, hunks }) => [
      path,
      ...notes,
      ...hunks.flatMap(({ header, lines }) => [header, ...lines.map((line) => line.text)]),
    ]);
    expect(shown).toEqual([
      ['tool.sh', 'now executable'],
      ['data.sh', 'no longer executable'],
      ['empty', 'empty file'],
      ['icon.png', 'binary file'],
      ['link', 'symbolic link', '@@ -0,0 +1,1 @@', '/etc/passwd'],
      ['win.txt', 'lines end with CR LF', '@@ -1,1 +1,1 @@', 'a', 'b'],
      ['mixed.txt', '@@ -1,1 +1,1 @@', 'a', 'b\r'],
    ]);
  });

  it('shows both sides of a file that became a link', () => {
    const sides = [
      ['deleted file mode 100644', '--- a/x', '+++ /dev/null', '@@ -1 +0,0 @@', '-text'],
      ['new file mode 120000', '--- /dev/null', '+++ b/x', '@@ -0,0 +1 @@', '+/etc'],
    ];
    const text = sides.map((lines) => ['diff --git a/x b/x', ...lines, ''].join('\n')).join('');
    expect(parseDiff(text, false)).toMatchObject([
      {
        path: 'x',
        notes: ['symbolic link'],
        hunks: [{ lines: [{ text: 'text' }] }, { lines: [{ text: '/etc' }] }],
      },
    ]);
  });

  it('that is truncated keeps its complete files', () => {
    const cut = `${DIFF}diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-o`;
    expect(parseDiff(cut, true)?.map(({ path }) => path)).toEqual(['a.txt', 'new.txt']);
  });

  it('that cannot be parsed is reported', () => {
    expect(parseDiff('--- a\n+++ b\n@@ -1,9 +1,9 @@\n-o\n', false)).toBeUndefined();
  });

  it('pairs deleted lines with added ones', () => {
    const lines = parseDiff(DIFF, false)?.[0]?.hunks[0]?.lines ?? [];
    expect(pairLines(lines).map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['one', 'one'],
      ['two', '2'],
      ['three', 'three'],
    ]);
  });
});
