import * as v from 'valibot';
import { described, record } from '../base/schema.ts';
import { Fault } from '../base/fault.ts';
import { wrapText } from '../base/wrap-text.ts';
import { defineRead } from '../contract/command.ts';
import type { ChangelogEntry } from '../base/changelog-entry.ts';
import { isNewer, parseVersion } from '../release/version.ts';

export default defineRead({
  path: 'changelog',
  summary: 'Show what changed between versions',
  description:
    'Shows what changed, newest version first. After an update, pass the previous version to --since',
  params: {
    since: described(v.optional(v.string()), 'Only versions strictly newer than this one, for example 0.1.0'),
  },
  output: v.object({
    current_version: v.string(),
    since: v.nullable(v.string()),
    entries: v.array(
      v.object({
        version: v.string(),
        date: v.nullable(v.string()),
        changes: described(record(v.array(v.string())), 'Changes by type, as in Keep a Changelog'),
      }),
    ),
  }),
  examples: ['changelog --compact', 'changelog --since 0.1.0'],
  run: async ({ since }, { tool }) => ({
    current_version: tool.version,
    since: since ?? null,
    entries: newerThan(await tool.changelog(), since).map(({ version, date, changes }) => ({
      version,
      date,
      changes: Object.fromEntries(Object.entries(changes).map(([kind, list]) => [kind, [...list]])),
    })),
  }),
  renderText: ({ entries }, _paint, columns) =>
    entries.map((entry) => renderEntry(entry, columns)).join('\n') || 'No newer version.\n',
});

function newerThan(entries: readonly ChangelogEntry[], since: string | undefined): readonly ChangelogEntry[] {
  if (since === undefined) return entries;
  if (parseVersion(since) === undefined) {
    throw new Fault('E_VALIDATION', `--since: "${since}" is not a version.`, {
      hint: 'Use a semantic version such as 0.1.0.',
      details: { field: 'since', problem: 'is not a semantic version' },
    });
  }
  return entries.filter((entry) => isNewer(entry.version, since));
}

function renderEntry(entry: ChangelogEntry, columns: number): string {
  const lines = [`${entry.version}${entry.date === null ? '' : ` (${entry.date})`}`];
  for (const [kind, list] of Object.entries(entry.changes)) {
    for (const change of list) {
      const text = change.replaceAll(/\s*\n\s*/gu, ' ');
      lines.push(`  ${wrapText(`${kind}: ${text}`, 4, columns)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
