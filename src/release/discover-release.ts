import { Fault } from '../base/fault.ts';
import { MAX_DOWNLOAD_BYTES } from './download-release.ts';
import { fetchBytes, type FetchContext } from './fetch-bytes.ts';
import type { Install } from './install-method.ts';
import { viewNpmVersion } from './npm-manager.ts';
import type { ChangelogEntry } from '../base/changelog-entry.ts';
import { parseReleaseMetadata, type ReleaseMetadata } from './release-metadata.ts';
import {
  archiveName,
  latestMetadataUrl,
  parseReleaseUrl,
  releaseUrls,
  type ReleaseUrls,
} from './release-source.ts';
import type { UpdateContext } from './update-context.ts';

/** A release that was found, before anything of it was verified. */
export interface FoundRelease {
  readonly version: string;
  readonly urls: ReleaseUrls;
  readonly archive: string;
  /** Undefined where the version comes from a package manager. */
  readonly changelog: readonly ChangelogEntry[] | undefined;
}

/** Finds the newest release, or the requested one, at the source of this install method. */
export async function discoverRelease(
  install: Install,
  target: string | undefined,
  context: UpdateContext,
): Promise<FoundRelease> {
  const base = parseReleaseUrl(context.releaseUrl);
  if (install.method === 'npm-global' || install.method === 'npm-local') {
    return foundRelease({ version: await viewNpmVersion(install, target, context) }, base, context);
  }
  const url = target === undefined ? latestMetadataUrl(base) : releaseUrls(base, target, '').metadata;
  const metadata = await readMetadata(url, context);
  if (target !== undefined && metadata.version !== target) {
    throw new Fault(
      'E_INTEGRITY',
      `The release at the URL of ${target} has the version ${metadata.version}.`,
      {
        details: { url, found_version: metadata.version },
      },
    );
  }
  return foundRelease(metadata, base, context);
}

/** Returns the URLs of the release of a version, without checking that it exists. */
export function locateRelease(version: string, context: UpdateContext): FoundRelease {
  return foundRelease({ version }, parseReleaseUrl(context.releaseUrl), context);
}

/** Reads the changelog of a release to determine its severity. An update does not depend on it, so a failure is only a warning. */
export async function readReleaseNotes(
  release: FoundRelease,
  context: UpdateContext,
): Promise<readonly ChangelogEntry[]> {
  if (release.changelog !== undefined) return release.changelog;
  try {
    return (await readMetadata(release.urls.metadata, context)).changelog;
  } catch (error) {
    if (context.signal.aborted) throw error;
    context.warn('The changelog of the release could not be read, so its severity may be understated.');
    return [];
  }
}

export function fetchContextOf(context: UpdateContext): FetchContext {
  return {
    fetch: context.fetch,
    signal: context.signal,
    timeoutMs: context.timeoutMs,
    now: context.clock.now,
  };
}

function foundRelease(
  { version, changelog }: { readonly version: string; readonly changelog?: readonly ChangelogEntry[] },
  base: string,
  context: UpdateContext,
): FoundRelease {
  const archive = archiveName(version, context.platform, context.arch);
  return { version, changelog, archive, urls: releaseUrls(base, version, archive) };
}

async function readMetadata(url: string, context: UpdateContext): Promise<ReleaseMetadata> {
  const bytes = await fetchBytes(url, MAX_DOWNLOAD_BYTES.metadata, fetchContextOf(context));
  return parseReleaseMetadata(bytes.toString('utf8'), url);
}
