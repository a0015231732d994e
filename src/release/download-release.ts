import { Fault } from '../base/fault.ts';
import { fetchBytes, type FetchContext } from './fetch-bytes.ts';
import type { ReleaseAddresses } from './release-source.ts';

/** A release as it came from the server: nothing in it is trusted yet. It stays in memory, so there is nothing to leave behind. */
export interface DownloadedRelease {
  readonly checksums: Buffer;
  /** Missing when the server has none; verification then refuses the release. */
  readonly bundle: Buffer | undefined;
  readonly archive: Buffer;
}

export const MAX_DOWNLOAD_BYTES = {
  metadata: 4 * 1024 * 1024,
  checksums: 256 * 1024,
  bundle: 256 * 1024,
  archive: 256 * 1024 * 1024,
};

/** Downloads everything that belongs to a release for this platform. */
export async function downloadRelease(
  addresses: ReleaseAddresses,
  context: FetchContext,
): Promise<DownloadedRelease> {
  const checksums = await fetchBytes(addresses.checksums, MAX_DOWNLOAD_BYTES.checksums, context);
  const bundle = await fetchIfPresent(addresses.bundle, MAX_DOWNLOAD_BYTES.bundle, context);
  const archive = await fetchBytes(addresses.archive, MAX_DOWNLOAD_BYTES.archive, context);
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
