import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Token } from '../base/highlight.ts';
import { pairLines, type DiffHunk, type DiffLine, type DiffPair } from '../base/parse-diff.ts';
import { CodeLine } from './code-line.tsx';

export type Layout = 'unified' | 'split';
export type Colours = ReadonlyMap<DiffLine, readonly Token[]>;

/** A frame renders about this many rows. */
const CHUNK = 80;
const ROW_PX = 20;
/** How far outside of the screen rows are rendered. */
const MARGIN = '1000px';

interface DiffHunkProps {
  readonly hunk: DiffHunk;
  readonly layout: Layout;
  readonly colours: Colours;
  /** Whether only the rows near the screen are rendered: a hunk may have a hundred thousand. */
  readonly isLazy: boolean;
}

/** The lines of one hunk. */
export function DiffHunkView({ hunk, layout, colours, isLazy }: DiffHunkProps): JSX.Element {
  const chunks = useMemo(() => {
    const rows = layout === 'unified' ? hunk.lines : pairLines(hunk.lines);
    const size = isLazy ? CHUNK : Math.max(1, rows.length);
    return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
      rows.slice(at * size, (at + 1) * size),
    );
  }, [hunk, layout, isLazy]);
  return (
    <>
      <p class="hunk-head">{hunk.header}</p>
      {chunks.map((rows, index) => (
        <Chunk key={`${layout} ${index}`} rows={rows} colours={colours} isLazy={isLazy} />
      ))}
    </>
  );
}

interface ChunkProps {
  readonly rows: readonly (DiffLine | DiffPair)[];
  readonly colours: Colours;
  readonly isLazy: boolean;
}

/** Some rows of a hunk; those of a large one only while they are near the screen, and as high as they were before. */
function Chunk({ rows, colours, isLazy }: ChunkProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef(rows.length * ROW_PX);
  const [isNear, setNear] = useState(!isLazy);
  useEffect(() => {
    const element = box.current;
    if (!isLazy || element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const isIntersecting = entries.at(-1)?.isIntersecting === true;
        if (!isIntersecting && element.firstChild !== null) height.current = element.offsetHeight;
        setNear(isIntersecting);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isLazy]);
  return (
    <div ref={box} style={{ height: isNear ? 'auto' : `${height.current}px` }}>
      {isNear && <Rows rows={rows} colours={colours} isLarge={isLazy} />}
    </div>
  );
}

interface RowsProps extends Pick<ChunkProps, 'rows' | 'colours'> {
  readonly isLarge: boolean;
}

function Rows({ rows, colours, isLarge }: RowsProps): JSX.Element {
  const layout = rows.some((row) => 'left' in row) ? 'split' : 'unified';
  return (
    <table class={isLarge ? `${layout} large` : layout}>
      <tbody>
        {rows.map((row, index) =>
          'left' in row ? (
            <tr key={index}>
              <Side line={row.left} side="old" colours={colours} />
              <Side line={row.right} side="new" colours={colours} />
            </tr>
          ) : (
            <UnifiedLine key={index} line={row} tokens={colours.get(row)} />
          ),
        )}
      </tbody>
    </table>
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
        {line.isUnended === true && <Unended />}
      </td>
    </tr>
  );
}

/** Stands after a last line without a line break. */
function Unended(): JSX.Element {
  return <span class="unended">no line break at the end</span>;
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
        {line.isUnended === true && <Unended />}
      </td>
    </>
  );
}
