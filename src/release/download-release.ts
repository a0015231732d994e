import { Fault } from '../base/fault.ts';
import { fetchBytes, type FetchContext } from './fetch-bytes.ts';
import type { ReleaseUrls } from './release-source.ts';

/** A downloaded release, not verified yet. It is kept in memory, so no cleanup is needed. */
export interface DownloadedRelease {
  readonly checksums: Buffer;
  /** Undefined when the server has none; verification then rejects the release. */
  readonly bundle: Buffer | undefined;
  readonly archive: Buffer;
}

export const MAX_DOWNLOAD_BYTES = {
  metadata: 4 * 1024 * 1024,
  checksums: 256 * 1024,
  bundle: 256 * 1024,
  archive: 256 * 1024 * 1024,
};

/** Downloads the files of a release for this platform. */
export async function downloadRelease(urls: ReleaseUrls, context: FetchContext): Promise<DownloadedRelease> {
  const checksums = await fetchBytes(urls.checksums, MAX_DOWNLOAD_BYTES.checksums, context);
  const bundle = await fetchIfPresent(urls.bundle, MAX_DOWNLOAD_BYTES.bundle, context);
  const archive = await fetchBytes(urls.archive, MAX_DOWNLOAD_BYTES.archive, context);
  return { checksums, bundle, archive };
}

/** Downloads a file that the server may not have. */
export async function fetchIfPresent(
  url: string,
  maxBytes: number,
  context: FetchContext,
): Promise<Buffer | undefined> {
  try {
    return await fetchBytes(url, maxBytes, context);
  } catch (error) {
    if (error instanceof Fault && error.code === 'E_NOT_FOUND') return undefined;
    throw error;
  }
}
