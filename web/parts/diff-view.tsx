import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Reads } from '../base/commands.ts';
import { plural } from '../base/format.ts';
import { highlightLines, languageOf, type Token } from '../base/highlight.ts';
import { pairLines, parseDiff, type DiffFile, type DiffLine } from '../base/parse-diff.ts';
import { useRead } from '../base/use-read.ts';
import { CodeLine } from './code-line.tsx';
import { Empty, Failure, Loading } from './notice.tsx';
import { ViewChoice } from './view-choice.tsx';

type Diff = Reads['work diff']['output'];
type Layout = 'unified' | 'split';

/** Longer files are folded: their lines are not rendered until they are opened. */
const FOLD_LINES = 400;
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
          {plural(data.files.length, 'file')} <span class="added">+{data.added}</span>{' '}
          <span class="deleted">−{data.deleted}</span>
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

type Colours = ReadonlyMap<DiffLine, readonly Token[]>;

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

function FileDiff({ file, parsed, layout }: FileDiffProps): JSX.Element {
  const colours = useMemo(() => coloursOf(file.path, parsed), [file.path, parsed]);
  const count = parsed?.hunks.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0;
  const [isOpen, setOpen] = useState(count <= FOLD_LINES);
  return (
    <section class="diff-file" aria-label={file.path}>
      <button type="button" class="diff-name" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        <code>{file.path}</code>
        <span class="muted">{file.action === 'modify' ? '' : `${file.action}d`}</span>
        <span class="spacer" />
        {file.added !== null && <span class="added">+{file.added}</span>}
        {file.deleted !== null && <span class="deleted">−{file.deleted}</span>}
      </button>
      {isOpen && (parsed === undefined || file.omitted !== undefined) && (
        <p class="note">{file.omitted ?? 'Not shown as text.'}</p>
      )}
      {isOpen && parsed !== undefined && (
        <div class="diff-lines" tabIndex={0} role="region" aria-label={`Changes of ${file.path}`}>
          {parsed.hunks.map((hunk) => (
            <table key={hunk.header} class={layout}>
              <caption>{hunk.header}</caption>
              <tbody>
                {layout === 'unified'
                  ? hunk.lines.map((line, index) => (
                      <UnifiedLine key={index} line={line} tokens={colours.get(line)} />
                    ))
                  : pairLines(hunk.lines).map(({ left, right }, index) => (
                      <tr key={index}>
                        <Side line={left} side="old" colours={colours} />
                        <Side line={right} side="new" colours={colours} />
                      </tr>
                    ))}
              </tbody>
            </table>
          ))}
        </div>
      )}
    </section>
  );
}

const SIGNS = { add: '+', delete: '−', same: ' ' } as const;

function UnifiedLine({
  line,
  tokens,
}: {
  readonly line: DiffLine;
  readonly tokens: readonly Token[] | undefined;
}): JSX.Element {
  return (
    <tr class={line.kind}>
      <td class="line-number">{line.old}</td>
      <td class="line-number">{line.new}</td>
      <td class="line-text">
        <span class="sign">{SIGNS[line.kind]}</span>
        <CodeLine text={line.text} tokens={tokens} />
      </td>
    </tr>
  );
}

function Side({
  line,
  side,
  colours,
}: {
  readonly line: DiffLine | undefined;
  readonly side: 'old' | 'new';
  readonly colours: Colours;
}): JSX.Element {
  if (line === undefined)
    return (
      <>
        <td class="line-number none" />
        <td class="line-text none" />
      </>
    );
  return (
    <>
      <td class={`line-number ${line.kind}`}>{line[side]}</td>
      <td class={`line-text ${line.kind}`}>
        <span class="sign">{SIGNS[line.kind]}</span>
        <CodeLine text={line.text} tokens={colours.get(line)} />
      </td>
    </>
  );
}
