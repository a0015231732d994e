/** An item with the ids of the items it depends on. */
export interface GraphItem {
  readonly id: string;
  readonly dependencies: readonly string[];
}

export interface Point {
  /** The layer, from left to right. */
  readonly layer: number;
  /** The place within the layer, centred around zero. */
  readonly place: number;
}

export interface GraphLayout {
  readonly nodes: ReadonlyMap<string, Point>;
  /** Each edge with a point per layer that it crosses. */
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly points: readonly Point[];
  }[];
  readonly layers: number;
  /** The number of places in the fullest layer. */
  readonly height: number;
}

const GAP = 36;
const MIN_GAP = 26;
/** Below this a name of a few letters is cut. */
const MIN_NODE_WIDTH = 96;

interface NodeWidths {
  /** With which no title is cut. */
  readonly wanted: number;
  /** In a graph that is too wide for its place and is scrolled. */
  readonly scrolled: number;
}

/** The width of the nodes and of the gaps between layers: smaller if the graph fits then, otherwise it is scrolled. */
export function fitNodes(
  layers: number,
  { wanted, scrolled }: NodeWidths,
  room: number,
): { readonly nodeWidth: number; readonly gap: number } {
  if (room > 0 && layers * wanted + (layers - 1) * GAP <= room) return { nodeWidth: wanted, gap: GAP };
  const full = { nodeWidth: Math.min(wanted, scrolled), gap: GAP };
  if (room <= 0) return full;
  const nodeWidth = Math.min(wanted, Math.floor((room - (layers - 1) * MIN_GAP) / layers));
  return nodeWidth < MIN_NODE_WIDTH ? full : { nodeWidth, gap: MIN_GAP };
}

const SWEEPS = 6;

/**
 * Places a graph without cycles in layers: each item in the layer after its last dependency. Edges that skip layers get a dummy in
 * each, so that they pass between the items. Each layer is ordered by the mean place of its neighbours, which removes most crossings.
 */
export function layOutGraph(items: readonly GraphItem[]): GraphLayout {
  const layerOf = levelsOf(items);
  const layers: string[][] = Array.from({ length: 1 + Math.max(-1, ...layerOf.values()) }, () => []);
  for (const { id } of items) layers[layerOf.get(id) ?? 0]?.push(id);
  const edges = items.flatMap(({ id, dependencies }) =>
    dependencies.filter((from) => layerOf.has(from)).map((from) => ({ from, to: id, chain: [from] })),
  );
  const links: [string, string][] = [];
  for (const edge of edges) {
    const end = layerOf.get(edge.to) ?? 0;
    for (let layer = (layerOf.get(edge.from) ?? 0) + 1; layer < end; layer += 1) {
      const dummy = `${edge.from}\0${edge.to}\0${layer}`;
      layers[layer]?.push(dummy);
      edge.chain.push(dummy);
    }
    edge.chain.push(edge.to);
    for (let at = 1; at < edge.chain.length; at += 1)
      links.push([edge.chain[at - 1] ?? '', edge.chain[at] ?? '']);
  }
  orderLayers(layers, links);
  const places = placesOf(layers);
  return {
    nodes: new Map(items.map(({ id }) => [id, places.get(id) ?? { layer: 0, place: 0 }])),
    edges: edges.map(({ from, to, chain }) => ({
      from,
      to,
      points: chain.flatMap((id) => places.get(id) ?? []),
    })),
    layers: layers.length,
    height: Math.max(0, ...layers.map(({ length }) => length)),
  };
}

/** How many dependencies in a row each item has. */
export function levelsOf(items: readonly GraphItem[]): Map<string, number> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const found = new Map<string, number>();
  const visit = (id: string, trail: ReadonlySet<string>): number => {
    const known = found.get(id);
    if (known !== undefined) return known;
    const before = (byId.get(id)?.dependencies ?? []).filter((name) => byId.has(name) && !trail.has(name));
    const layer = 1 + Math.max(-1, ...before.map((name) => visit(name, new Set([...trail, id]))));
    found.set(id, layer);
    return layer;
  };
  for (const { id } of items) visit(id, new Set());
  return found;
}

function orderLayers(layers: string[][], links: readonly (readonly [string, string])[]): void {
  const neighbours = { before: new Map<string, string[]>(), after: new Map<string, string[]>() };
  for (const [from, to] of links) {
    neighbours.before.set(to, [...(neighbours.before.get(to) ?? []), from]);
    neighbours.after.set(from, [...(neighbours.after.get(from) ?? []), to]);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForward = sweep % 2 === 0;
    const side = isForward ? neighbours.before : neighbours.after;
    for (const layer of isForward ? layers : layers.toReversed()) {
      const places = placesOf(layers);
      const meanOf = (id: string): number => {
        const near = side.get(id) ?? [];
        const own = places.get(id)?.place ?? 0;
        if (near.length === 0) return own;
        return near.reduce((sum, other) => sum + (places.get(other)?.place ?? 0), 0) / near.length;
      };
      const means = new Map(layer.map((id) => [id, meanOf(id)]));
      layer.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0));
    }
  }
}

function placesOf(layers: readonly (readonly string[])[]): Map<string, Point> {
  return new Map(
    layers.flatMap((ids, layer) =>
      ids.map((id, index) => [id, { layer, place: index - (ids.length - 1) / 2 }] as const),
    ),
  );
}
