import type { FileFacts } from '../scope.ts';

export type ArtifactState = 'changed' | 'missing';

interface RecordedFile {
  readonly file_path: string;
  readonly size_bytes: number | null;
  readonly blake3: string | null;
}

type DescribeFile = (path: string, maxHashedBytes: number) => Promise<FileFacts | undefined>;

/** Larger files are compared by their size, because a brief is built while other writers wait. */
const MAX_HASHED_BYTES = 256 * 1024;

/**
 * Compares a recorded file with the one on disk; undefined if it is the same or cannot be compared. A relative path belongs to the folder
 * of its project; without one, a missing file is not reported.
 */
export async function checkArtifact(
  { file_path, size_bytes, blake3 }: RecordedFile,
  project: string | undefined,
  describeFile: DescribeFile,
): Promise<ArtifactState | undefined> {
  if (size_bytes === null) return undefined;
  const isAbsolute = file_path.startsWith('/');
  const folder = project?.startsWith('/') ? project : undefined;
  const path = isAbsolute || folder === undefined ? file_path : `${folder}/${file_path}`;
  const found = await describeFile(path, MAX_HASHED_BYTES);
  if (found === undefined) return isAbsolute || folder !== undefined ? 'missing' : undefined;
  const differs = blake3 !== null && found.blake3 !== null && blake3 !== found.blake3;
  return found.sizeBytes !== size_bytes || differs ? 'changed' : undefined;
}
