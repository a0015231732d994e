import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { layOutGraph, type Point } from '../base/layout-graph.ts';
import { shownState } from '../base/state.ts';
import { Glyph } from './glyph.tsx';

export interface GraphNode {
  readonly id: string;
  readonly status: string;
  readonly dependencies: readonly string[];
}

interface GraphViewProps {
  readonly nodes: readonly GraphNode[];
  readonly selected: string | undefined;
  readonly hrefOf: (id: string) => string;
}

const NODE = { width: 112, height: 28 };
const STEP = { x: 148, y: 42 };
const MARGIN = 20;

/** The items of a job with arrows from each item to those that wait for it. */
export function GraphView({ nodes, selected, hrefOf }: GraphViewProps): JSX.Element {
  const shape = nodes.map(({ id, dependencies }) => `${id}<${dependencies.join()}`).join(';');
  // The layout depends on the dependencies only, not on states.
  const layout = useMemo(() => layOutGraph(nodes), [shape]);
  const width = layout.layers * STEP.x - (STEP.x - NODE.width) + 2 * MARGIN;
  const height = layout.height * STEP.y + 2 * MARGIN;
  const at = ({ layer, place }: Point): { x: number; y: number } => ({
    x: MARGIN + layer * STEP.x,
    y: height / 2 + place * STEP.y,
  });
  const scroller = useRef<HTMLDivElement>(null);
  const focus = selected ?? nodes.find(({ status }) => status === 'waiting' || status === 'running')?.id;
  useEffect(() => {
    const point = layout.nodes.get(focus ?? '');
    if (point !== undefined)
      scroller.current?.scrollTo({ left: at(point).x - scroller.current.clientWidth / 2 + NODE.width / 2 });
  }, [focus, layout]);
  return (
    <div class="graph" ref={scroller} tabIndex={0} role="region" aria-label="Dependencies of the items">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {layout.edges.map(({ from, to, points }) => (
          <path key={`${from} ${to}`} class="edge" d={curve(points.map(at))} />
        ))}
        {nodes.map(({ id, status }) => {
          const { state, label } = shownState(status);
          const { x, y } = at(layout.nodes.get(id) ?? { layer: 0, place: 0 });
          return (
            <a key={id} href={hrefOf(id)} aria-label={`${id}: ${label}`}>
              <g
                class={id === selected ? `node ${state} selected` : `node ${state}`}
                transform={`translate(${x} ${y - NODE.height / 2})`}
              >
                <rect width={NODE.width} height={NODE.height} rx="6" />
                <svg x="7" y="6" width="16" height="16">
                  <Glyph state={state} />
                </svg>
                <text x="29" y="18.5">
                  {shorten(id)}
                </text>
              </g>
            </a>
          );
        })}
      </svg>
    </div>
  );
}

/** A smooth line from the right side of the first point to the left side of the last one. */
function curve(points: readonly { readonly x: number; readonly y: number }[]): string {
  let path = '';
  for (const [index, { x, y }] of points.entries()) {
    const start = points[index - 1];
    if (start === undefined) continue;
    const fromX = start.x + (index === 1 ? NODE.width : NODE.width / 2);
    const toX = x + (index === points.length - 1 ? -5 : NODE.width / 2);
    if (index === 1) path += `M${fromX} ${start.y}`;
    const bend = Math.max(12, (toX - fromX) / 2);
    path += `C${fromX + bend} ${start.y} ${toX - bend} ${y} ${toX} ${y}`;
    if (index === points.length - 1) path += `m-5 -3.5l5 3.5l-5 3.5`;
  }
  return path;
}

const MAX_CHARACTERS = 12;

function shorten(id: string): string {
  return id.length > MAX_CHARACTERS ? `${id.slice(0, MAX_CHARACTERS - 1)}…` : id;
}
