import { Fault } from '../base/fault.ts';
import { isSafeTransport } from '../base/safe-transport.ts';

/** The URLs of one release; they have the layout of GitHub releases, which any static server can provide. */
export interface ReleaseUrls {
  /** The web page of this release. */
  readonly page: string;
  readonly metadata: string;
  readonly checksums: string;
  readonly bundle: string;
  readonly archive: string;
}

export const METADATA_NAME = 'release.json';
export const CHECKSUMS_NAME = 'checksums.txt';
export const BUNDLE_NAME = 'checksums.txt.sigstore.json';

/** Returns the name of the archive of a version for one platform, such as `deed-1.2.0-linux-x64.tar.gz`. */
export function archiveName(version: string, platform: string, arch: string): string {
  return `deed-${version}-${platform}-${arch}.tar.gz`;
}

/** Returns the URL of the metadata of the newest release. */
export function latestMetadataUrl(base: string): string {
  return `${base}/latest/download/${METADATA_NAME}`;
}

/** Returns the URLs of the files of one version. */
export function releaseUrls(base: string, version: string, archive: string): ReleaseUrls {
  const folder = `${base}/download/v${version}`;
  return {
    page: `${base}/tag/v${version}`,
    metadata: `${folder}/${METADATA_NAME}`,
    checksums: `${folder}/${CHECKSUMS_NAME}`,
    bundle: `${folder}/${BUNDLE_NAME}`,
    archive: `${folder}/${archive}`,
  };
}

/** Validates the configured URL and removes its trailing slash; only https and loopback are allowed. */
export function parseReleaseUrl(text: string): string {
  const url = URL.parse(text);
  const plain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (plain && isSafeTransport(url)) return url.href.replace(/\/+$/u, '');
  throw new Fault('E_CONFIG', `Invalid release URL: ${text}.`, {
    hint: 'Set update.release_url to an https URL without credentials and query, or unset it.',
    details: { setting: 'update.release_url' },
  });
}
