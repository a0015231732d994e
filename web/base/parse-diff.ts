import { parsePatch } from 'diff';

export interface DiffLine {
  readonly kind: 'add' | 'delete' | 'same';
  readonly old: number | undefined;
  readonly new: number | undefined;
  readonly text: string;
  /** Set for a last line that does not end with a line break. */
  readonly isUnended?: true;
}

export interface DiffHunk {
  readonly header: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
  /** What the lines do not show, such as `now executable`. */
  readonly notes: readonly string[];
}

/** Splits a unified diff into files and lines; undefined if it cannot be parsed. A truncated last file is left out. */
export function parseDiff(text: string, isCut: boolean): readonly DiffFile[] | undefined {
  try {
    const end = isCut ? text.lastIndexOf('\ndiff --git ') : text.length;
    const whole = text.slice(0, end);
    const patches = parsePatch(whole);
    const names = namesIn(whole);
    return mergeSides(
      patches.map((patch, at) => toFile(patch, names.length === patches.length ? names[at] : undefined)),
    );
  } catch {
    return undefined;
  }
}

/** The names of the files as their headers have them; the parser removes spaces at the ends. Undefined where it must be asked. */
function namesIn(text: string): readonly (string | undefined)[] {
  return text
    .split(/(?<=^|\n)(?=diff --git )/u)
    .filter((section) => section.startsWith('diff --git '))
    .map((section) => {
      const [head = ''] = section.split('\n@@', 1);
      const nameAfter = (mark: string): string | undefined =>
        new RegExp(`\\n${mark} (?!/dev/null(?:\\n|$)|")[ab]/(?<name>[^\\n]*?)\\t?(?:\\n|$)`, 'u').exec(head)
          ?.groups?.name;
      return nameAfter('\\+\\+\\+') ?? nameAfter('---');
    });
}

type Patch = ReturnType<typeof parsePatch>[number];

function toFile(patch: Patch, ownName: string | undefined): DiffFile {
  const { oldFileName, newFileName } = patch;
  const parsed = newFileName === undefined || newFileName === '/dev/null' ? oldFileName : newFileName;
  const hunks = patch.hunks.map((hunk) => ({
    header: headerOf(hunk),
    lines: numberLines(hunk.lines, hunk.oldStart, hunk.newStart),
  }));
  const isCrLf = hasCrLf(hunks);
  return {
    path: ownName ?? (parsed ?? '').replace(/^[ab]\//u, ''),
    hunks: isCrLf ? withoutCr(hunks) : hunks,
    notes: [...notesOf(patch), ...(isCrLf ? ['lines end with CR LF'] : [])],
  };
}

/** A side without lines starts after the line before it, which the parser changes. */
function headerOf({ oldStart, oldLines, newStart, newLines }: Patch['hunks'][number]): string {
  const start = (first: number, count: number): number => (count === 0 ? first - 1 : first);
  return `@@ -${start(oldStart, oldLines)},${oldLines} +${start(newStart, newLines)},${newLines} @@`;
}

const SYMLINK = '120000';
const EXECUTABLE = '100755';

function notesOf({ oldMode, newMode, isBinary, isCreate, isDelete, hunks }: Patch): string[] {
  const notes: string[] = [];
  const mode = isDelete === true ? oldMode : newMode;
  if (mode === SYMLINK) notes.push('symbolic link');
  else if (mode === EXECUTABLE && isDelete !== true)
    notes.push(isCreate === true ? 'executable' : 'now executable');
  else if (oldMode === EXECUTABLE && newMode !== undefined) notes.push('no longer executable');
  if (isBinary === true) notes.push('binary file');
  else if (hunks.length === 0 && (isCreate === true || isDelete === true)) notes.push('empty file');
  return notes;
}

/** Git shows a file that became a link, or the reverse, as a deleted and a created one. */
function mergeSides(files: readonly DiffFile[]): DiffFile[] {
  return [...Map.groupBy(files, ({ path }) => path)].map(([path, sides]) => ({
    path,
    hunks: sides.flatMap(({ hunks }) => hunks),
    notes: [...new Set(sides.flatMap(({ notes }) => notes))],
  }));
}

function hasCrLf(hunks: readonly DiffHunk[]): boolean {
  const lines = hunks.flatMap((hunk) => hunk.lines).filter(({ isUnended }) => isUnended !== true);
  return lines.length > 0 && lines.every(({ text }) => text.endsWith('\r'));
}

function withoutCr(hunks: readonly DiffHunk[]): DiffHunk[] {
  return hunks.map(({ header, lines }) => ({
    header,
    lines: lines.map((line) => ({ ...line, text: line.text.replace(/\r$/u, '') })),
  }));
}

function numberLines(lines: readonly string[], oldStart: number, newStart: number): DiffLine[] {
  const next = { old: oldStart, new: newStart };
  return lines.flatMap((line, index): DiffLine[] => {
    // "\ No newline at end of file" belongs to the line before it.
    if (line.startsWith('\\')) return [];
    const text = line.slice(1);
    const end = lines[index + 1]?.startsWith('\\') === true ? { isUnended: true as const } : {};
    if (line.startsWith('+')) return [{ kind: 'add', old: undefined, new: next.new++, text, ...end }];
    if (line.startsWith('-')) return [{ kind: 'delete', old: next.old++, new: undefined, text, ...end }];
    return [{ kind: 'same', old: next.old++, new: next.new++, text, ...end }];
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
