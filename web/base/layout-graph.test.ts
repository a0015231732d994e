import { describe, expect, it } from 'vitest';
import { fitNodes, layOutGraph } from './layout-graph.ts';

const item = (id: string, ...dependencies: string[]) => ({ id, dependencies });

describe('the layout of a graph', () => {
  it('places each item after its last dependency', () => {
    const { nodes, layers } = layOutGraph([item('a'), item('b', 'a'), item('c', 'a', 'b'), item('d')]);
    expect([...nodes].map(([id, { layer }]) => [id, layer])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
      ['d', 0],
    ]);
    expect(layers).toBe(3);
  });

  it('leads an edge that skips a layer through that layer', () => {
    const { edges } = layOutGraph([item('a'), item('b', 'a'), item('c', 'a', 'b')]);
    const long = edges.find(({ from, to }) => from === 'a' && to === 'c');
    expect(long?.points.map(({ layer }) => layer)).toEqual([0, 1, 2]);
  });

  it('removes a crossing by the order of a layer', () => {
    const { nodes } = layOutGraph([item('a'), item('b'), item('x', 'b'), item('y', 'a')]);
    const place = (id: string): number => nodes.get(id)?.place ?? 0;
    expect(Math.sign(place('a') - place('b'))).toBe(Math.sign(place('y') - place('x')));
  });

  it('accepts unknown dependencies, a cycle and an empty graph', () => {
    expect(layOutGraph([item('a', 'missing')]).edges).toEqual([]);
    expect(layOutGraph([item('a', 'b'), item('b', 'a')]).nodes.size).toBe(2);
    expect(layOutGraph([])).toMatchObject({ layers: 0, height: 0 });
  });

  it('takes little time for a large plan', () => {
    const items = Array.from({ length: 500 }, (_, index) =>
      item(`i${index}`, ...(index > 10 ? [`i${index - 7}`, `i${index - 10}`] : [])),
    );
    const started = performance.now();
    layOutGraph(items);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('the width of the nodes', () => {
  it('is as asked where the graph fits, and before the room is known', () => {
    expect(fitNodes(3, { wanted: 128, scrolled: 128 }, 600)).toEqual({ nodeWidth: 128, gap: 36 });
    expect(fitNodes(30, { wanted: 128, scrolled: 128 }, -40)).toEqual({ nodeWidth: 128, gap: 36 });
  });

  it('is smaller where the graph fits then', () => {
    expect(fitNodes(4, { wanted: 128, scrolled: 128 }, 594)).toEqual({ nodeWidth: 128, gap: 26 });
    expect(fitNodes(5, { wanted: 128, scrolled: 128 }, 590)).toEqual({ nodeWidth: 97, gap: 26 });
  });

  it('is wide enough for the longest title, if there is room, and narrower in a graph that is scrolled', () => {
    const widths = { wanted: 240, scrolled: 128 };
    expect(fitNodes(2, widths, 600)).toEqual({ nodeWidth: 240, gap: 36 });
    expect(fitNodes(3, widths, 600)).toEqual({ nodeWidth: 182, gap: 26 });
    expect(fitNodes(12, widths, 600)).toEqual({ nodeWidth: 128, gap: 36 });
  });

  it('is as asked in a graph that must be scrolled', () => {
    expect(fitNodes(12, { wanted: 128, scrolled: 128 }, 590)).toEqual({ nodeWidth: 128, gap: 36 });
  });
});
