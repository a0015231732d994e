import { Fault } from '../base/fault.ts';
import { isSafeTransport } from '../base/safe-transport.ts';

/** The addresses of one release; the layout is GitHub's, so any static server can carry it. */
export interface ReleaseAddresses {
  /** For people: the page of this release. */
  readonly page: string;
  readonly metadata: string;
  readonly checksums: string;
  readonly bundle: string;
  readonly archive: string;
}

export const METADATA_NAME = 'release.json';
export const CHECKSUMS_NAME = 'checksums.txt';
export const BUNDLE_NAME = 'checksums.txt.sigstore.json';

/** Names the archive that holds a version for one platform, such as `deed-1.2.0-linux-x64.tar.gz`. */
export function archiveName(version: string, platform: string, arch: string): string {
  return `deed-${version}-${platform}-${arch}.tar.gz`;
}

/** Names what tells about the newest release. */
export function latestMetadataUrl(base: string): string {
  return `${base}/latest/download/${METADATA_NAME}`;
}

/** Names everything that belongs to one version. */
export function releaseAddresses(base: string, version: string, archive: string): ReleaseAddresses {
  const folder = `${base}/download/v${version}`;
  return {
    page: `${base}/tag/v${version}`,
    metadata: `${folder}/${METADATA_NAME}`,
    checksums: `${folder}/${CHECKSUMS_NAME}`,
    bundle: `${folder}/${BUNDLE_NAME}`,
    archive: `${folder}/${archive}`,
  };
}

/** Checks the configured address and drops its trailing slash; releases travel over https, or from this very machine. */
export function parseReleaseUrl(text: string): string {
  const url = URL.parse(text);
  const plain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (plain && isSafeTransport(url)) return url.href.replace(/\/+$/u, '');
  throw new Fault('E_CONFIG', `The release address ${text} cannot be used.`, {
    hint: 'Set update.release_url to an https address without credentials and query, or unset it.',
    details: { setting: 'update.release_url' },
  });
}
