import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { RECONCILER, type WorkItem } from './work-item.ts';

/** The part of an item that the graph is made of. */
export type Node = Pick<WorkItem, 'id' | 'agent_id' | 'dependencies'>;

/**
 * Sorts items into levels: everything an item depends on is in a level before its own, so a level may run in parallel. The
 * reconciler comes after all others whatever it names. Levels are ordered by id. An unknown dependency and a circle are refused by name.
 */
export function resolveDependencies<T extends Node>(items: readonly T[]): T[][] {
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const item of items) assertKnown(item, byId);
  const open = new Map(items.map((item) => [item.id, new Set(dependenciesOf(item, items))]));
  const levels: T[][] = [];
  while (open.size > 0) {
    const ready = [...open].filter(([, waits]) => waits.size === 0).map(([id]) => id);
    if (ready.length === 0) throw circle(findCircle(open));
    for (const id of ready) open.delete(id);
    for (const waits of open.values()) for (const id of ready) waits.delete(id);
    levels.push(ready.sort().flatMap((id) => byId.get(id) ?? []));
  }
  return levels;
}

/** What an item waits for: what it names, and for a reconciler everything that is none. */
export function dependenciesOf(item: Node, items: readonly Node[]): readonly string[] {
  if (item.agent_id !== RECONCILER) return item.dependencies;
  const others = items.filter(({ agent_id }) => agent_id !== RECONCILER).map(({ id }) => id);
  return [...new Set([...others, ...item.dependencies])];
}

function assertKnown(item: Node, byId: ReadonlyMap<string, Node>): void {
  const unknown = item.dependencies.find((id) => !byId.has(id));
  if (unknown === undefined) return;
  const suggestion = nearest(unknown, [...byId.keys()]);
  throw new Fault('E_VALIDATION', `"${item.id}" depends on "${unknown}", which the plan does not have.`, {
    hint: suggestion
      ? `Did you mean ${suggestion}? Nothing has run.`
      : 'Add that item or drop it; nothing has run.',
    details: { field: 'dependencies', id: item.id, unknown, ...(suggestion && { suggestion }) },
  });
}

/** Walks along open dependencies until one comes again: every open item waits for another open one, so the walk cannot end. */
function findCircle(open: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const trail: string[] = [];
  let at = [...open.keys()].sort()[0] ?? '';
  while (!trail.includes(at)) {
    trail.push(at);
    at = [...(open.get(at) ?? [])].filter((id) => open.has(id)).sort()[0] ?? '';
  }
  return [...trail.slice(trail.indexOf(at)), at];
}

function circle(path: readonly string[]): Fault {
  return new Fault('E_VALIDATION', `The dependencies form a circle: ${path.join(' → ')}.`, {
    hint: 'Remove one of these dependencies; nothing has run.',
    details: { field: 'dependencies', circle: [...path] },
  });
}
