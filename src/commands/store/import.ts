import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { readVybeTables } from '../../continuity/database/sqlite/read-vybe-store.ts';
import { importSource, previewImport } from '../../continuity/imports/import-source.ts';
import {
  IMPORT_FORMATS,
  type ImportFormat,
  type ImportSource,
} from '../../continuity/imports/read-source.ts';
import {
  MERGED_RESOURCES,
  writtenRows,
  type MergeReport,
} from '../../continuity/store/merge/merge-report.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { databaseOf, locateStore } from '../../app/locate-store.ts';
import { reportRows } from '../continuity/report-rows.ts';
import { agentOf, openWriter, withReader } from '../continuity/open-store.ts';
import { projectParameter } from '../continuity/store-parameters.ts';
import { pathText } from '../continuity/text-parameters.ts';

const counts = v.object(
  Object.fromEntries(MERGED_RESOURCES.map((name) => [name, int()])) as Record<
    (typeof MERGED_RESOURCES)[number],
    ReturnType<typeof int>
  >,
);
const remark = v.object({ resource: v.string(), id: v.string(), reason: v.string() });
/** Lists of the answer have at most this many entries; their counts are complete. */
const MAX_REMARKS = 100;

const params = {
  from: described(
    v.optional(pathText),
    `The format: ${IMPORT_FORMATS.join(', ')} (default: deed); or, without a path, a file written by "store export"`,
  ),
  path: described(
    v.optional(pathText),
    'An export; a vybe.db; a folder with .beads or an issues.jsonl; a folder that contains backlog',
  ),
  project_id: described(
    projectParameter,
    'The project of tasks from beads and Backlog.md (default: their folder)',
  ),
  ...STORE_PARAMETERS,
};

type Given = {
  readonly from?: string | undefined;
  readonly path?: string | undefined;
  readonly project_id?: string | undefined;
};

export default defineWrite({
  path: 'store import',
  summary: 'Import an export of deed, or tasks and memories of vybe, beads or Backlog.md',
  description:
    'Imports completely or not at all. An export is copied into an empty store; otherwise entries are merged: repeating an import changes nothing, and of two changes of ' +
    'the same status, priority or memory the later one is kept. The dry run reports what would change. Other processes can write meanwhile, except at the end: they then wait, about 10 seconds for a million events',
  params,
  positionals: ['path'],
  output: v.object({
    path: v.string(),
    rows: described(int(), 'The rows that were written'),
    imported: v.optional(counts),
    changed: v.optional(counts),
    unchanged: v.optional(counts),
    skipped: v.optional(v.array(remark)),
    skipped_count: v.optional(int()),
    adjusted: v.optional(v.array(remark)),
    adjusted_count: v.optional(int()),
    conflicts: v.optional(v.array(remark)),
    conflicts_count: v.optional(int()),
    replayed: v.optional(v.literal(true)),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['skipped', 'adjusted', 'conflicts'].flatMap((list) => [`${list}[].id`, `${list}[].reason`]),
  examples: [
    'store import --from deed.ndjson --db-path new.db --dry-run',
    'store import --from vybe ~/.config/vybe/vybe.db --dry-run',
    'store import --from beads . --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN'],
  database: databaseOf,
  plan: async ({ db_path, ...given }, context) => {
    const call = callOf(given, context);
    const { path } = locateStore({ db_path }, context);
    const preview = await withReader({ db_path }, context, (database) => previewImport(database, call));
    const { size, mtimeMs } = statSync(dataOf(call.source.path));
    return {
      changes: [
        {
          action: 'import',
          resource: 'store',
          id: path,
          after: {
            source: call.source.path,
            ...(preview !== 'copy' && { format: call.source.format, ...answerOf(preview) }),
          },
          version: preview === 'copy' ? `${size} ${mtimeMs}` : `${size} ${mtimeMs} ${writtenRows(preview)}`,
        },
      ],
    };
  },
  run: async ({ db_path, ...given }, context) => {
    const database = await openWriter({ db_path }, context);
    const result = await importSource(database, callOf(given, context));
    if (result.kind === 'copied') return { path: database.path, rows: result.rows };
    return { path: database.path, rows: writtenRows(result.report), ...answerOf(result.report) };
  },
});

/** Another file in the folder of a project, such as the saved preview, does not change what is imported. */
function dataOf(path: string): string {
  return ['.beads', 'backlog'].map((name) => join(path, name)).find((folder) => existsSync(folder)) ?? path;
}

function callOf(given: Given, context: CommandContext) {
  return {
    source: sourceOf(given, context),
    caller: agentOf({}, context),
    at: new Date(context.system.clock.now()).toISOString(),
    readVybeTables,
    onRows: reportRows(context, 'imported'),
  };
}

/** `--from` alone has always been the path of an export. */
function sourceOf({ from, path, project_id: projectId }: Given, { system }: CommandContext): ImportSource {
  const format = IMPORT_FORMATS.find((name) => name === from);
  const named = path ?? (format === undefined || existsSync(resolve(system.cwd, format)) ? from : undefined);
  if (named === undefined || (path !== undefined && from !== undefined && format === undefined)) {
    throw new Fault(
      'E_VALIDATION',
      named === undefined ? 'No path was passed.' : `Unknown format: "${from}".`,
      {
        hint: `Pass --from with one of ${IMPORT_FORMATS.join(', ')}, and the path.`,
        details: { field: named === undefined ? 'path' : 'from', allowed: [...IMPORT_FORMATS] },
      },
    );
  }
  const chosen: ImportFormat = path === undefined ? 'deed' : (format ?? 'deed');
  const expanded = named.startsWith('~/') ? `${system.userHome}${named.slice(1)}` : named;
  const source = resolve(system.cwd, expanded);
  if (!existsSync(source)) {
    throw new Fault('E_NOT_FOUND', `The file ${source} does not exist.`, {
      hint: `Pass a file written by "store export", or --from ${IMPORT_FORMATS.join('|')} and the path of that tool's data.`,
      details: { field: path === undefined ? 'from' : 'path', path: source },
    });
  }
  return { format: chosen, path: source, projectId };
}

function answerOf({ imported, changed, unchanged, skipped, adjusted, conflicts }: MergeReport) {
  return {
    imported: { ...imported },
    changed: { ...changed },
    unchanged: { ...unchanged },
    skipped: skipped.slice(0, MAX_REMARKS),
    skipped_count: skipped.length,
    adjusted: adjusted.slice(0, MAX_REMARKS),
    adjusted_count: adjusted.length,
    conflicts: conflicts.slice(0, MAX_REMARKS),
    conflicts_count: conflicts.length,
  };
}
