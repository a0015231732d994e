import type { GraphNode } from './graph-node.ts';
import { dependenciesOf, resolveDependencies } from './resolve-dependencies.ts';

export type GraphFormat = 'text' | 'mermaid' | 'svg';

/** Renders a plan with its levels and dependencies. */
export async function renderGraph(nodes: readonly GraphNode[], format: GraphFormat): Promise<string> {
  const levels = resolveDependencies(nodes);
  switch (format) {
    case 'text':
      return renderLevels(levels, nodes);
    case 'mermaid':
      return renderMermaid(levels, nodes);
    case 'svg':
      return (await import('./render-svg.ts')).renderSvg(levels, nodes);
  }
}

function renderLevels(levels: readonly GraphNode[][], nodes: readonly GraphNode[]): string {
  return levels
    .map((level, index) => {
      const rows = level.map((node) => {
        const waits = dependenciesOf(node, nodes);
        const after = waits.length === 0 ? '' : ` ← ${waits.join(', ')}`;
        return `  ${node.id} (${node.agent_id})${node.status ? ` [${node.status}]` : ''}${after}\n`;
      });
      return `Level ${index}\n${rows.join('')}`;
    })
    .join('');
}

/** Ids may contain dots and dashes, which Mermaid does not accept in names, so nodes are numbered. */
function renderMermaid(levels: readonly GraphNode[][], nodes: readonly GraphNode[]): string {
  const names = new Map(levels.flat().map(({ id }, index) => [id, `n${index}`]));
  const boxes = levels.flatMap((level, index) => [
    `  subgraph level${index} [Level ${index}]`,
    ...level.map(
      (node) =>
        `    ${names.get(node.id)}["${node.id}<br/>${node.agent_id}${node.status ? ` · ${node.status}` : ''}"]`,
    ),
    '  end',
  ]);
  const edges = levels
    .flat()
    .flatMap((node) =>
      dependenciesOf(node, nodes).map((id) => `  ${names.get(id)} --> ${names.get(node.id)}`),
    );
  return `${['flowchart LR', ...boxes, ...edges].join('\n')}\n`;
}
