import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { fitNodes, layOutGraph, type Point } from '../base/layout-graph.ts';
import type { State } from '../base/state.ts';
import { useWidth } from '../base/use-width.ts';
import { Glyph } from './glyph.tsx';

export interface GraphNode {
  readonly id: string;
  readonly title: string;
  readonly state: State;
  /** The state in words. */
  readonly label: string;
  readonly dependencies: readonly string[];
}

interface GraphViewProps {
  readonly label: string;
  readonly nodeWidth?: number;
  readonly nodes: readonly GraphNode[];
  readonly selected: string | undefined;
  readonly hrefOf: (id: string) => string;
}

const NODE_WIDTH = 128;
const MAX_NODE_WIDTH = 280;
/** Left of the title its state, right of it a margin. */
const BESIDE_TITLE = 38;
const NODE_HEIGHT = 28;
const STEP_Y = 42;
const MARGIN = 20;

/** Items with arrows from each one to those that wait for it. */
export function GraphView({
  label,
  nodeWidth: scrolled = NODE_WIDTH,
  nodes,
  selected,
  hrefOf,
}: GraphViewProps): JSX.Element {
  const shape = nodes.map(({ id, dependencies }) => `${id}<${dependencies.join()}`).join(';');
  // The layout depends on the dependencies only, not on states.
  const layout = useMemo(() => layOutGraph(nodes), [shape]);
  const scroller = useRef<HTMLDivElement>(null);
  const titles = nodes.map(({ title }) => title).join('\n');
  const wanted = useMemo(() => {
    const longest = Math.max(0, ...nodes.map(({ title }) => widthOf(title)));
    return Math.min(MAX_NODE_WIDTH, Math.max(scrolled, Math.ceil(longest) + BESIDE_TITLE));
  }, [titles, scrolled]);
  const { nodeWidth, gap } = fitNodes(layout.layers, { wanted, scrolled }, useWidth(scroller) - 2 * MARGIN);
  const stepX = nodeWidth + gap;
  const width = layout.layers * stepX - gap + 2 * MARGIN;
  const height = layout.height * STEP_Y + 2 * MARGIN;
  const at = ({ layer, place }: Point): { x: number; y: number } => ({
    x: MARGIN + layer * stepX,
    y: height / 2 + place * STEP_Y,
  });
  const shown = useMemo(
    () => new Map(nodes.map(({ id, title }) => [id, shorten(title, nodeWidth)])),
    [shape, titles, nodeWidth],
  );
  const focus = selected ?? nodes.find(({ state }) => state === 'waits' || state === 'running')?.id;
  useEffect(() => {
    const point = layout.nodes.get(focus ?? '');
    const box = scroller.current;
    if (point === undefined || box === null) return;
    const { x, y } = at(point);
    box.scrollTo({ left: x - box.clientWidth / 2 + nodeWidth / 2, top: y - box.clientHeight / 2 });
  }, [focus, layout, nodeWidth]);
  return (
    <div class="graph" ref={scroller} tabIndex={0} role="region" aria-label={label}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {layout.edges.map(({ from, to, points }) => (
          <path key={`${from} ${to}`} class="edge" d={curve(points.map(at), nodeWidth)} />
        ))}
        {nodes.map(({ id, title, state, label: words }) => {
          const { x, y } = at(layout.nodes.get(id) ?? { layer: 0, place: 0 });
          return (
            <a key={id} href={hrefOf(id)}>
              <title>{`${title}: ${words}`}</title>
              <g
                class={id === selected ? `node ${state} selected` : `node ${state}`}
                transform={`translate(${x} ${y - NODE_HEIGHT / 2})`}
              >
                <rect width={nodeWidth} height={NODE_HEIGHT} rx="6" />
                <svg x="7" y="6" width="16" height="16">
                  <Glyph state={state} />
                </svg>
                <text x="29" y="18.5">
                  {shown.get(id)}
                </text>
                {shown.get(id) !== title && (
                  <path class="cut" d={`M${nodeWidth - 13} 18h.01m4 0h.01m4 0h.01`} />
                )}
              </g>
            </a>
          );
        })}
      </svg>
    </div>
  );
}

/** A smooth line from the right side of the first point to the left side of the last one; straight where it passes other items. */
function curve(points: readonly { readonly x: number; readonly y: number }[], nodeWidth: number): string {
  let path = '';
  for (const [index, { x, y }] of points.entries()) {
    const start = points[index - 1];
    if (start === undefined) continue;
    const isLast = index === points.length - 1;
    const fromX = start.x + nodeWidth;
    const toX = isLast ? x - 5 : x;
    if (index === 1) path += `M${fromX} ${start.y}`;
    const bend = (toX - fromX) / 2;
    path += `C${fromX + bend} ${start.y} ${toX - bend} ${y} ${toX} ${y}`;
    path += isLast ? 'm-5 -3.5l5 3.5l-5 3.5' : `H${x + nodeWidth}`;
  }
  return path;
}

/** The width of the dots of a title that was cut; they are drawn. */
const DOTS_PX = 14;

/** The beginning of a text that fits: SVG does not cut text at the edge of a node. */
function shorten(text: string, nodeWidth: number): string {
  const room = nodeWidth - 34;
  if (widthOf(text) <= room) return text;
  let end = Math.min(text.length, room);
  while (end > 1 && widthOf(text.slice(0, end)) > room - DOTS_PX) end -= 1;
  return text.slice(0, end);
}

let ruler: CanvasRenderingContext2D | null | undefined;

/** How wide a text is in the font of the nodes. */
function widthOf(text: string): number {
  ruler ??= document.createElement('canvas').getContext('2d');
  if (ruler === null) return 8 * text.length;
  ruler.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}
