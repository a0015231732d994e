import { Fault } from '../base/fault.ts';
import { MAX_DOWNLOAD_BYTES } from './download-release.ts';
import { fetchBytes, type FetchContext } from './fetch-bytes.ts';
import type { Install } from './install-method.ts';
import { viewNpmVersion } from './npm-manager.ts';
import type { ChangelogEntry } from './parse-changelog.ts';
import { parseReleaseMetadata, type ReleaseMetadata } from './release-metadata.ts';
import {
  archiveName,
  latestMetadataUrl,
  parseReleaseUrl,
  releaseAddresses,
  type ReleaseAddresses,
} from './release-source.ts';
import type { UpdateContext } from './update-context.ts';

/** A release that was found, before anything of it was verified. */
export interface FoundRelease {
  readonly version: string;
  readonly addresses: ReleaseAddresses;
  readonly archive: string;
  /** Not known where a package manager told the version. */
  readonly changelog: readonly ChangelogEntry[] | undefined;
}

/** Finds the newest release, or the one that was asked for, where this kind of install gets its versions from. */
export async function discoverRelease(
  install: Install,
  target: string | undefined,
  context: UpdateContext,
): Promise<FoundRelease> {
  const base = parseReleaseUrl(context.releaseUrl);
  if (install.method === 'npm-global' || install.method === 'npm-local') {
    return foundRelease({ version: await viewNpmVersion(install, target, context) }, base, context);
  }
  const url = target === undefined ? latestMetadataUrl(base) : releaseAddresses(base, target, '').metadata;
  const metadata = await readMetadata(url, context);
  if (target !== undefined && metadata.version !== target) {
    throw new Fault(
      'E_INTEGRITY',
      `The release at the address of ${target} calls itself ${metadata.version}.`,
      {
        details: { url, found_version: metadata.version },
      },
    );
  }
  return foundRelease(metadata, base, context);
}

/** Names where a release of a version would lie, without looking whether it is there. */
export function nameRelease(version: string, context: UpdateContext): FoundRelease {
  return foundRelease({ version }, parseReleaseUrl(context.releaseUrl), context);
}

/** Reads what changed up to a release, to grade it. An update does not depend on it, so a failure is only told. */
export async function readReleaseNotes(
  release: FoundRelease,
  context: UpdateContext,
): Promise<readonly ChangelogEntry[]> {
  if (release.changelog !== undefined) return release.changelog;
  try {
    return (await readMetadata(release.addresses.metadata, context)).changelog;
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
  return { version, changelog, archive, addresses: releaseAddresses(base, version, archive) };
}

async function readMetadata(url: string, context: UpdateContext): Promise<ReleaseMetadata> {
  const bytes = await fetchBytes(url, MAX_DOWNLOAD_BYTES.metadata, fetchContextOf(context));
  return parseReleaseMetadata(bytes.toString('utf8'), url);
}
