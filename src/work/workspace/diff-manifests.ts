import { isSameEntry } from './list-changes.ts';
import { entriesBelow, parseHead, sortPaths, type Manifest } from './manifest.ts';
import type { TreeChange } from './workspace.ts';

/** Lists the changes from one state to another. */
export function diffManifests(from: Manifest, to: Manifest): readonly TreeChange[] {
  const before = new Map(from.paths.map((path, index) => [path, from.heads[index] ?? '']));
  const changes = new Map<string, TreeChange>();
  for (const [index, path] of to.paths.entries()) {
    const head = to.heads[index] ?? '';
    const old = before.get(path);
    before.delete(path);
    if (old === head) continue;
    const after = parseHead(head);
    if (old !== undefined) {
      const was = parseHead(old);
      if (!isSameEntry(was, after))
        changes.set(path, { path, action: 'modify', type: after.type, before: was, after });
    } else if (after.type === 'dir' && entriesBelow(from, path).length > 0) {
      changes.set(path, { path, action: 'modify', type: 'dir', before: after, after });
    } else {
      changes.set(path, { path, action: 'create', type: after.type, after });
    }
  }
  for (const [path, head] of before) {
    const was = parseHead(head);
    // An empty folder that has content now was not deleted.
    const filled = was.type === 'dir' && entriesBelow(to, path).length > 0;
    changes.set(
      path,
      filled
        ? { path, action: 'modify', type: 'dir', before: was, after: was }
        : { path, action: 'delete', type: was.type, before: was },
    );
  }
  return sortPaths([...changes.keys()]).flatMap((path) => changes.get(path) ?? []);
}

/** Lists the paths that differ between two states. */
export function differingPaths(from: Manifest, to: Manifest): readonly string[] {
  if (from === to) return [];
  const heads = new Map(from.paths.map((path, index) => [path, from.heads[index] ?? '']));
  const paths: string[] = [];
  for (const [index, path] of to.paths.entries()) {
    if (heads.get(path) !== to.heads[index]) paths.push(path);
    heads.delete(path);
  }
  return sortPaths([...paths, ...heads.keys()]);
}
