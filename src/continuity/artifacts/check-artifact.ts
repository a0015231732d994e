import type { QueryRunner } from '../database/database.ts';
import { findArtifactMetadata } from '../database/queries/artifacts.ts';
import type { StorePorts } from '../scope.ts';
import type { Artifact } from './artifact.ts';

export type ArtifactState = 'changed' | 'missing';

/** Larger files are compared by their size, because a brief is built while other writers wait. */
const MAX_HASHED_BYTES = 256 * 1024;

/** Compares a recorded file with the one on disk; undefined if it is the same or cannot be compared. */
export async function checkArtifact(
  db: QueryRunner,
  artifact: Pick<Artifact, 'file_path' | 'event_id' | 'size_bytes' | 'blake3'>,
  project: string | undefined,
  describeFile: StorePorts['describeFile'],
): Promise<ArtifactState | undefined> {
  const { size_bytes, blake3 } = artifact;
  if (size_bytes === null) return undefined;
  const places = await placesOf(db, artifact, project);
  for (const place of places) {
    const found = await describeFile(place, MAX_HASHED_BYTES);
    if (found === undefined) continue;
    const differs = blake3 !== null && found.blake3 !== null && blake3 !== found.blake3;
    return found.sizeBytes !== size_bytes || differs ? 'changed' : undefined;
  }
  return places.length === 0 ? undefined : 'missing';
}

/** Where a file may be: the path where it was recorded; otherwise, for example on another machine, the same path in the folder of its project. */
async function placesOf(
  db: QueryRunner,
  { file_path, event_id }: Pick<Artifact, 'file_path' | 'event_id'>,
  project: string | undefined,
): Promise<string[]> {
  if (file_path.startsWith('/')) return [file_path];
  const recorded = await db.first(findArtifactMetadata, { event_id: Number(event_id) });
  const { path } = JSON.parse(recorded?.metadata ?? '{}') as { readonly path?: unknown };
  return [
    ...(typeof path === 'string' ? [path] : []),
    ...(project?.startsWith('/') ? [`${project}/${file_path}`] : []),
  ];
}
