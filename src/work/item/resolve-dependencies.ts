import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { RECONCILER, type WorkItem } from './work-item.ts';

/** The fields of an item that define the graph. */
export type Node = Pick<WorkItem, 'id' | 'agent_id' | 'dependencies'>;

/**
 * Sorts items into levels: all dependencies of an item are in earlier levels, so the items of a level can run in parallel. The
 * reconciler always comes last. Levels are sorted by id. Rejects unknown dependencies and cycles.
 */
export function resolveDependencies<T extends Node>(items: readonly T[]): T[][] {
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const item of items) assertKnown(item, byId);
  const open = new Map(items.map((item) => [item.id, new Set(dependenciesOf(item, items))]));
  const levels: T[][] = [];
  while (open.size > 0) {
    const ready = [...open].filter(([, waits]) => waits.size === 0).map(([id]) => id);
    if (ready.length === 0) throw cycleFault(findCycle(open));
    for (const id of ready) open.delete(id);
    for (const waits of open.values()) for (const id of ready) waits.delete(id);
    levels.push(ready.sort().flatMap((id) => byId.get(id) ?? []));
  }
  return levels;
}

/** Returns the dependencies of an item; a reconciler also depends on every other item. */
export function dependenciesOf(item: Node, items: readonly Node[]): readonly string[] {
  if (item.agent_id !== RECONCILER) return item.dependencies;
  const others = items.filter(({ agent_id }) => agent_id !== RECONCILER).map(({ id }) => id);
  return [...new Set([...others, ...item.dependencies])];
}

function assertKnown(item: Node, byId: ReadonlyMap<string, Node>): void {
  const unknown = item.dependencies.find((id) => !byId.has(id));
  if (unknown === undefined) return;
  const suggestion = nearest(unknown, [...byId.keys()]);
  throw new Fault('E_VALIDATION', `"${item.id}" depends on "${unknown}", which is not in the plan.`, {
    hint: suggestion
      ? `Did you mean ${suggestion}? Nothing was run.`
      : 'Add that item or remove the dependency. Nothing was run.',
    details: { field: 'dependencies', id: item.id, unknown, ...(suggestion && { suggestion }) },
  });
}

/** Follows open dependencies until an id repeats. Every open item depends on another open item, so there is a cycle. */
function findCycle(open: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const trail: string[] = [];
  let at = [...open.keys()].sort()[0] ?? '';
  while (!trail.includes(at)) {
    trail.push(at);
    at = [...(open.get(at) ?? [])].filter((id) => open.has(id)).sort()[0] ?? '';
  }
  return [...trail.slice(trail.indexOf(at)), at];
}

function cycleFault(path: readonly string[]): Fault {
  return new Fault('E_VALIDATION', `The dependencies form a cycle: ${path.join(' → ')}.`, {
    hint: 'Remove one of these dependencies. Nothing was run.',
    details: { field: 'dependencies', circle: [...path] },
  });
}
