import { ownMember } from '../../base/own-member.ts';
import type { GraphNode } from './graph-node.ts';
import { dependenciesOf } from './resolve-dependencies.ts';

const BOX = { width: 190, height: 46, gapX: 70, gapY: 18, margin: 20 } as const;

const COLOURS: Readonly<Record<string, string>> = {
  success: '#d6f5dc',
  failure: '#fbdcdc',
  denied: '#fbdcdc',
  timeout: '#fbe9d0',
  running: '#dbe8fd',
  waiting: '#fdf6d0',
};

/** Renders levels from left to right as one SVG without scripts, styles or external resources. */
export function renderSvg(levels: readonly GraphNode[][], nodes: readonly GraphNode[]): string {
  const place = new Map(
    levels.flatMap((level, column) =>
      level.map((node, row) => [
        node.id,
        { x: BOX.margin + column * (BOX.width + BOX.gapX), y: BOX.margin + row * (BOX.height + BOX.gapY) },
      ]),
    ),
  );
  const width = 2 * BOX.margin + levels.length * (BOX.width + BOX.gapX) - BOX.gapX;
  const tallest = Math.max(...levels.map(({ length }) => length));
  const height = 2 * BOX.margin + tallest * (BOX.height + BOX.gapY) - BOX.gapY;
  const edges = levels
    .flat()
    .flatMap((node) =>
      dependenciesOf(node, nodes).map((id) => renderEdge(place.get(id), place.get(node.id))),
    );
  const boxes = levels.flat().map((node) => renderBox(node, place.get(node.id)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#667"/></marker></defs>',
    ...edges,
    ...boxes,
    '</svg>\n',
  ].join('\n');
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function renderEdge(from: Point | undefined, to: Point | undefined): string {
  if (from === undefined || to === undefined) return '';
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
  const middle = (x1 + x2) / 2;
  return `<path d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}" fill="none" stroke="#667" marker-end="url(#tip)"/>`;
}

function renderBox(node: GraphNode, at: Point | undefined): string {
  if (at === undefined) return '';
  const fill = ownMember(COLOURS, node.status ?? '') ?? '#f4f5f7';
  const below = node.status ? `${node.agent_id} · ${node.status}` : node.agent_id;
  return [
    `<g><title>${escapeXml(node.id)}</title>`,
    `<rect x="${at.x}" y="${at.y}" width="${BOX.width}" height="${BOX.height}" rx="6" fill="${fill}" stroke="#99a"/>`,
    `<text x="${at.x + 10}" y="${at.y + 19}" font-weight="bold">${escapeXml(shorten(node.id))}</text>`,
    `<text x="${at.x + 10}" y="${at.y + 36}" fill="#556">${escapeXml(shorten(below))}</text></g>`,
  ].join('');
}

function shorten(text: string): string {
  return text.length > 26 ? `${text.slice(0, 25)}…` : text;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
