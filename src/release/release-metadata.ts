import { Fault } from '../base/fault.ts';
import { isPlainObject } from '../base/json.ts';
import type { ChangelogEntry } from '../base/changelog-entry.ts';
import { CHANGE_KINDS } from './parse-changelog.ts';
import { parseVersion, renderVersion } from './version.ts';

/** The content of `release.json`. It is not signed, so it is used only to find a release; the archive itself is verified. */
export interface ReleaseMetadata {
  readonly version: string;
  readonly changelog: readonly ChangelogEntry[];
}

/** Parses `release.json`; unknown entries are ignored, so that later releases may extend the format. */
export function parseReleaseMetadata(text: string, url: string): ReleaseMetadata {
  const value = parseJson(text);
  const version =
    isPlainObject(value) && typeof value.version === 'string' ? parseVersion(value.version) : undefined;
  if (!isPlainObject(value) || version === undefined) {
    throw new Fault('E_SERVER', `${url} is not valid release metadata.`, {
      hint: 'Check update.release_url, or try again later.',
      details: { url },
    });
  }
  const entries: readonly unknown[] = Array.isArray(value.changelog) ? value.changelog : [];
  return {
    version: renderVersion(version),
    changelog: entries.flatMap((entry) => parseEntry(entry) ?? []),
  };
}

function parseEntry(value: unknown): ChangelogEntry | undefined {
  if (!isPlainObject(value) || typeof value.version !== 'string' || !isPlainObject(value.changes))
    return undefined;
  const version = parseVersion(value.version);
  if (version === undefined) return undefined;
  const changes: Record<string, readonly string[]> = {};
  for (const kind of CHANGE_KINDS) {
    const list: readonly unknown[] = Array.isArray(value.changes[kind]) ? value.changes[kind] : [];
    changes[kind] = list.filter((item): item is string => typeof item === 'string');
  }
  return {
    version: renderVersion(version),
    date: typeof value.date === 'string' ? value.date : null,
    changes,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
