import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Reads } from '../base/commands.ts';
import { plural } from '../base/format.ts';
import { pairLines, parseDiff, type DiffFile, type DiffLine } from '../base/parse-diff.ts';
import { useRead } from '../base/use-read.ts';
import { Empty, Failure, Loading } from './notice.tsx';

type Diff = Reads['work diff']['output'];
type Layout = 'unified' | 'split';

/** Longer files are folded: their lines are not rendered until they are opened. */
const FOLD_LINES = 400;
const LAYOUT_KEY = 'deed.diff';

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
        <span class="choice" role="group" aria-label="Layout of the diff">
          {(['unified', 'split'] as const).map((name) => (
            <button key={name} type="button" aria-pressed={layout === name} onClick={() => choose(name)}>
              {name === 'unified' ? 'Unified' : 'Split'}
            </button>
          ))}
        </span>
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

interface FileDiffProps {
  readonly file: Diff['files'][number];
  readonly parsed: DiffFile | undefined;
  readonly layout: Layout;
}

function FileDiff({ file, parsed, layout }: FileDiffProps): JSX.Element {
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
      {isOpen && parsed === undefined && <p class="note">{file.omitted ?? 'Not shown as text.'}</p>}
      {isOpen && parsed !== undefined && (
        <div class="diff-lines" tabIndex={0} role="region" aria-label={`Changes of ${file.path}`}>
          {parsed.hunks.map((hunk) => (
            <table key={hunk.header} class={layout}>
              <caption>{hunk.header}</caption>
              <tbody>
                {layout === 'unified'
                  ? hunk.lines.map((line, index) => <UnifiedLine key={index} line={line} />)
                  : pairLines(hunk.lines).map(({ left, right }, index) => (
                      <tr key={index}>
                        <Side line={left} side="old" />
                        <Side line={right} side="new" />
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

function UnifiedLine({ line }: { readonly line: DiffLine }): JSX.Element {
  return (
    <tr class={line.kind}>
      <td class="line-number">{line.old}</td>
      <td class="line-number">{line.new}</td>
      <td class="line-text">
        <span class="sign">{SIGNS[line.kind]}</span>
        {line.text}
      </td>
    </tr>
  );
}

function Side({
  line,
  side,
}: {
  readonly line: DiffLine | undefined;
  readonly side: 'old' | 'new';
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
        {line.text}
      </td>
    </>
  );
}
