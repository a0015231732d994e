import type { ChangelogEntry } from '../base/changelog-entry.ts';
import { ownMember } from '../base/own-member.ts';
import { parseVersion, renderVersion } from './version.ts';

/** The kinds of change in Keep a Changelog, in the order in which entries list them. */
export const CHANGE_KINDS = ['added', 'changed', 'fixed', 'deprecated', 'removed', 'security'] as const;

const VERSION_HEADING = /^##\s+\[?([^\]\s]+)\]?(?:\([^)]*\))?(?:\s+[-–—]\s+(\d{4}-\d{2}-\d{2}))?/u;
const KIND_HEADING = /^###\s+(.+?)\s*#*$/u;
const BULLET = /^(\s*)[-*+]\s+(.*)$/u;
const LINK_DEFINITION = /^\s*\[[^\]]+\]:\s+\S/u;
const UNRELEASED = 'Unreleased';

export interface ParseChangelogOptions {
  /** Whether to include the section `Unreleased`. */
  readonly unreleased?: boolean;
}

/**
 * Parses a changelog in the Keep a Changelog format. Each bullet is one change, with its wrapped lines joined and its nested
 * bullets below it; sections with unknown headings are ignored.
 */
export function parseChangelog(markdown: string, options: ParseChangelogOptions = {}): ChangelogEntry[] {
  const entries: ChangelogEntry[] = [];
  let changes: Record<string, string[]> | undefined;
  let list: string[] | undefined;
  for (const line of withoutComments(markdown).split(/\r?\n/u)) {
    if (/^#{1,2}\s/u.test(line)) {
      const entry = openEntry(line, options);
      changes = entry?.changes;
      list = undefined;
      if (entry !== undefined) entries.push(entry);
    } else if (/^###\s/u.test(line)) {
      list = ownMember(changes, KIND_HEADING.exec(line)?.[1]?.toLowerCase() ?? '');
    } else if (list !== undefined) {
      addLine(list, line);
    }
  }
  return entries;
}

function openEntry(
  heading: string,
  options: ParseChangelogOptions,
): (ChangelogEntry & { readonly changes: Record<string, string[]> }) | undefined {
  const [, name, date] = VERSION_HEADING.exec(heading) ?? [];
  if (name === undefined) return undefined;
  const version = parseVersion(name);
  const changes = Object.fromEntries(CHANGE_KINDS.map((kind): [string, string[]] => [kind, []]));
  if (version !== undefined) return { version: renderVersion(version), date: date ?? null, changes };
  if (options.unreleased === true && name.toLowerCase() === UNRELEASED.toLowerCase()) {
    return { version: UNRELEASED, date: null, changes };
  }
  return undefined;
}

/** A top-level bullet starts a change; any other line continues the previous change. */
function addLine(list: string[], line: string): void {
  const text = line.trim();
  if (text === '' || LINK_DEFINITION.test(line)) return;
  const bullet = BULLET.exec(line);
  if (bullet !== null && bullet[1] === '') {
    list.push(bullet[2] ?? '');
    return;
  }
  const last = list.pop();
  // Text before the first bullet becomes a change, so that it is not lost.
  if (last === undefined) list.push(text);
  else list.push(bullet === null ? `${last} ${text}` : `${last}\n- ${bullet[2] ?? ''}`);
}

function withoutComments(markdown: string): string {
  return markdown.replaceAll(/<!--[\s\S]*?-->/gu, '');
}
