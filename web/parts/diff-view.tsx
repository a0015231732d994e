import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Reads } from '../base/commands.ts';
import { formatNumber, plural } from '../base/format.ts';
import { highlightLines, languageOf, type Token } from '../base/highlight.ts';
import { parseDiff, type DiffFile, type DiffLine } from '../base/parse-diff.ts';
import { revealName } from '../base/reveal.ts';
import { useRead } from '../base/use-read.ts';
import { DiffHunkView, type Colours, type Layout } from './diff-lines.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { ViewChoice } from './view-choice.tsx';

type Diff = Reads['work diff']['output'];
/** Longer files are folded: their lines are not rendered until they are opened. */
const FOLD_LINES = 400;
const FOLD_CHARACTERS = 20_000;
const LAYOUT_KEY = 'deed.diff';
const LAYOUTS = [
  { id: 'unified', label: 'Unified' },
  { id: 'split', label: 'Split' },
] as const;

/** The changes of a run, file by file. */
export function DiffView({ runId }: { readonly runId: string }): JSX.Element {
  const { data, error } = useRead('work diff', { id: runId }, ({ runs }) => runs.includes(runId));
  const [layout, setLayout] = useState<Layout>(
    localStorage.getItem(LAYOUT_KEY) === 'split' ? 'split' : 'unified',
  );
  const files = useMemo(() => parseDiff(data?.diff ?? '', data?.truncated === true), [data?.diff]);
  if (data === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  if (data.files.length === 0) return <Empty>This run changed no files.</Empty>;
  const choose = (next: Layout): void => {
    localStorage.setItem(LAYOUT_KEY, next);
    setLayout(next);
  };
  return (
    <div class="diff">
      <div class="diff-bar">
        <span>
          {plural(data.files.length, 'file')} <span class="added">+{formatNumber(data.added)}</span>{' '}
          <span class="deleted">−{formatNumber(data.deleted)}</span>
        </span>
        <span class="spacer" />
        <ViewChoice label="Layout of the diff" views={LAYOUTS} selected={layout} onSelect={choose} />
      </div>
      {files === undefined ? (
        <pre class="raw" tabIndex={0}>
          {data.diff}
        </pre>
      ) : (
        data.files.map((file) => (
          <FileDiff
            key={file.path}
            file={file}
            parsed={files.find(({ path }) => path === file.path)}
            layout={layout}
          />
        ))
      )}
      {data.truncated === true && <p class="note">The diff is too long to be shown completely.</p>}
    </div>
  );
}

/** More lines would take longer than a frame. */
const MAX_COLOURED = 1500;

/** The tokens of each line. Both sides are read in full, hunk by hunk, so that a comment ends where its side ends it. */
function coloursOf(path: string, parsed: DiffFile | undefined): Colours {
  const language = languageOf(path);
  const count = parsed?.hunks.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0;
  if (language === undefined || parsed === undefined || count > MAX_COLOURED) return new Map();
  const colours = new Map<DiffLine, readonly Token[]>();
  for (const { lines } of parsed.hunks)
    for (const other of ['add', 'delete'] as const) {
      const side = lines.filter(({ kind }) => kind !== other);
      const tokens = highlightLines(
        side.map(({ text }) => text),
        language,
      );
      for (const [index, line] of side.entries()) colours.set(line, tokens[index] ?? []);
    }
  return colours;
}

interface FileDiffProps {
  readonly file: Diff['files'][number];
  readonly parsed: DiffFile | undefined;
  readonly layout: Layout;
}

/** What the lines of a file do not show, such as `now executable`. */
function notesOf({ action, type, omitted }: Diff['files'][number], parsed: DiffFile | undefined): string {
  const unknown = type === 'file' ? 'not shown here' : TYPES[type];
  const notes = parsed?.notes ?? (omitted === undefined ? [unknown] : []);
  const all = [action === 'modify' ? '' : `${action}d`, ...notes, omitted ?? ''];
  return all.filter((note) => note !== '').join(', ');
}

const TYPES = { dir: 'folder', symlink: 'symbolic link' } as const;

function isShort(parsed: DiffFile | undefined): boolean {
  const lines = parsed?.hunks.flatMap((hunk) => hunk.lines) ?? [];
  const characters = lines.reduce((sum, { text }) => sum + text.length, 0);
  return lines.length <= FOLD_LINES && characters <= FOLD_CHARACTERS;
}

function FileDiff({ file, parsed, layout }: FileDiffProps): JSX.Element {
  const colours = useMemo(() => coloursOf(file.path, parsed), [file.path, parsed]);
  const isSmall = useMemo(() => isShort(parsed), [parsed]);
  const [isOpen, setOpen] = useState(isSmall);
  const hasLines = parsed !== undefined && parsed.hunks.length > 0;
  const name = revealName(file.path);
  return (
    <section class="diff-file" aria-label={name}>
      <button type="button" class="diff-name" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{!hasLines ? '·' : isOpen ? '▾' : '▸'}</span>
        <code>{name}</code>
        <span class="muted">{notesOf(file, parsed)}</span>
        <span class="spacer" />
        {hasLines && file.added !== null && <span class="added">+{formatNumber(file.added)}</span>}
        {hasLines && file.deleted !== null && <span class="deleted">−{formatNumber(file.deleted)}</span>}
      </button>
      {isOpen && hasLines && (
        <div class="diff-lines" tabIndex={0} role="region" aria-label={`Changes of ${name}`}>
          {parsed.hunks.map((hunk) => (
            <DiffHunkView key={hunk.header} hunk={hunk} layout={layout} colours={colours} isLazy={!isSmall} />
          ))}
        </div>
      )}
    </section>
  );
}
