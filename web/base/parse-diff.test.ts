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
      { kind: 'same', old: 3, new: 3, text: 'three' },
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
