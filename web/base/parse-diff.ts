import { parsePatch } from 'diff';

export interface DiffLine {
  readonly kind: 'add' | 'delete' | 'same';
  readonly old: number | undefined;
  readonly new: number | undefined;
  readonly text: string;
}

export interface DiffHunk {
  readonly header: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
}

/** Splits a unified diff into files and lines; undefined if it cannot be parsed. A truncated last file is left out. */
export function parseDiff(text: string, isCut: boolean): readonly DiffFile[] | undefined {
  try {
    const end = isCut ? text.lastIndexOf('\ndiff --git ') : text.length;
    return parsePatch(text.slice(0, end)).map((file) => ({
      path: withoutPrefix(
        file.newFileName === undefined || file.newFileName === '/dev/null'
          ? file.oldFileName
          : file.newFileName,
      ),
      hunks: file.hunks.map((hunk) => ({
        header: `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
        lines: numberLines(hunk.lines, hunk.oldStart, hunk.newStart),
      })),
    }));
  } catch {
    return undefined;
  }
}

function withoutPrefix(name: string | undefined): string {
  return (name ?? '').replace(/^[ab]\//u, '');
}

function numberLines(lines: readonly string[], oldStart: number, newStart: number): DiffLine[] {
  const next = { old: oldStart, new: newStart };
  return lines.flatMap((line): DiffLine[] => {
    const text = line.slice(1);
    if (line.startsWith('+')) return [{ kind: 'add', old: undefined, new: next.new++, text }];
    if (line.startsWith('-')) return [{ kind: 'delete', old: next.old++, new: undefined, text }];
    // "\ No newline at end of file" is not a line.
    return line.startsWith('\\') ? [] : [{ kind: 'same', old: next.old++, new: next.new++, text }];
  });
}

/** Two lines next to each other; a side without a line is undefined. */
export interface DiffPair {
  readonly left: DiffLine | undefined;
  readonly right: DiffLine | undefined;
}

/** Pairs deleted lines with the added lines that follow them. */
export function pairLines(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  let deleted: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(deleted.length, added.length); index += 1)
      pairs.push({ left: deleted[index], right: added[index] });
    [deleted, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'delete') {
      if (added.length > 0) flush();
      deleted.push(line);
    } else if (line.kind === 'add') added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
