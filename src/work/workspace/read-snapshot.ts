import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import type { Snapshot, WorkspaceContext } from './workspace.ts';

/** Reads a snapshot taken by `freeze`. */
export function readSnapshot(context: WorkspaceContext, id: string): Snapshot {
  const text = /^[0-9a-f]{32}$/u.test(id)
    ? readFileIfPresent(join(snapshotFolder(context), `${id}.json`))
    : undefined;
  if (text === undefined)
    throw new Fault('E_NOT_FOUND', `Unknown snapshot: ${id}.`, { details: { snapshot: id } });
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value) || typeof value.hash !== 'string')
    throw new Fault('E_DAMAGED', `Snapshot ${id} is corrupt.`, { details: { snapshot: id } });
  return value as unknown as Snapshot;
}

export function snapshotFolder(context: WorkspaceContext): string {
  return join(context.folder, 'snapshots');
}
