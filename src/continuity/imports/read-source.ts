import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { maskStored } from '../../base/secrets/mask-stored.ts';
import { readAllLines } from '../../system/read-lines.ts';
import type { EventRow } from '../events/event.ts';
import type { OnImport } from '../store/merge/on-import.ts';
import { readExport } from '../store/merge/read-export.ts';
import type { ForeignRows, ImportedRows } from '../store/merge/imported-rows.ts';
import type { BacklogFile } from './backlog-rows.ts';
import { invalidSource } from './foreign-rows.ts';
import type { ReadVybeTables } from './vybe-tables.ts';

export const IMPORT_FORMATS = ['deed', 'vybe', 'beads', 'backlog'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export interface ImportSource {
  readonly format: ImportFormat;
  /** The absolute path. */
  readonly path: string;
  /** The project of tasks from tools that have one store per folder (default: that folder). */
  readonly projectId: string | undefined;
}

export interface ReadOptions {
  readonly schemaVersion: number;
  readonly at: string;
  readonly readVybeTables: ReadVybeTables;
  /** Called with the events, one by one, because an export may have more than fit into memory. */
  readonly onEvent: (event: EventRow) => void;
  readonly onRows?: OnImport | undefined;
}

/** Contract: call it before anything reads the source, because reading a named pipe or a device may never end. */
export function assertSource({ format, path }: ImportSource): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new Fault('E_NOT_FOUND', `The file ${path} does not exist.`, { details: { field: 'path', path } });
  }
  if (!stats.isFile() && !(stats.isDirectory() && format !== 'deed'))
    throw invalidSource(path, 'is not a regular file', 'Write the data to a file first.');
}

/** Reads what can be imported. Contract: changes nothing. Secrets in the entries of other tools are masked. */
export async function readSource(source: ImportSource, options: ReadOptions): Promise<ImportedRows> {
  if (source.format === 'deed')
    return readExport(readAllLines(source.path), options.schemaVersion, options.onEvent, options.onRows);
  const { events, ...rows } = masked(await readForeign(source, source.format, options));
  for (const event of events) options.onEvent(event);
  return rows;
}

function readForeign(
  source: ImportSource,
  format: Exclude<ImportFormat, 'deed'>,
  { at, readVybeTables }: ReadOptions,
): Promise<ForeignRows> {
  switch (format) {
    case 'vybe':
      return readVybe(source.path, at, readVybeTables);
    case 'beads':
      return readBeads(source);
    case 'backlog':
      return readBacklog(source);
  }
}

async function readVybe(path: string, at: string, readVybeTables: ReadVybeTables): Promise<ForeignRows> {
  const { vybeRows } = await import('./vybe-rows.ts');
  const file = statSync(path).isDirectory() ? join(path, 'vybe.db') : path;
  const tables = statSync(file, { throwIfNoEntry: false })?.isFile() ? readVybeTables(file) : undefined;
  if (tables === undefined)
    throw invalidSource(file, 'is not a store of vybe', 'Its usual place is ~/.config/vybe/vybe.db.');
  return vybeRows(tables, at);
}

const BEADS_FILES = ['issues.jsonl', 'beads.jsonl'] as const;

async function readBeads({ path, projectId }: ImportSource): Promise<ForeignRows> {
  const { beadsRows } = await import('./beads-rows.ts');
  const isFolder = statSync(path).isDirectory();
  const folders = isFolder ? [join(path, '.beads'), path] : [];
  const found = folders
    .flatMap((folder) => BEADS_FILES.map((name) => join(folder, name)))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  const file = isFolder ? found : path;
  if (file === undefined)
    throw invalidSource(
      path,
      'has no issues.jsonl',
      'Pass the folder with .beads in it, or an issues.jsonl.',
    );
  const folder = dirname(file);
  const owner = basename(folder) === '.beads' ? dirname(folder) : folder;
  return beadsRows(readAllLines(file), { path: file, projectId: projectId ?? owner });
}

const BACKLOG_FOLDERS = ['backlog', '.backlog'] as const;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

async function readBacklog({ path, projectId }: ImportSource): Promise<ForeignRows> {
  const { backlogRows } = await import('./backlog-rows.ts');
  const { parse } = await import('yaml');
  const root = [...BACKLOG_FOLDERS.map((name) => join(path, name)), path].find((folder) =>
    existsSync(join(folder, 'tasks')),
  );
  if (root === undefined)
    throw invalidSource(
      path,
      'has no folder "tasks"',
      'Pass the folder with "backlog" in it, or that folder itself.',
    );
  const owner = BACKLOG_FOLDERS.some((name) => name === basename(root)) ? dirname(root) : root;
  const entries = (['tasks', 'completed', 'decisions'] as const).flatMap((folder) =>
    listMarkdown(root, folder),
  );
  const files = entries
    .filter(({ problem }) => problem === undefined)
    .map(({ folder, name, path: file }) => ({ folder, name, text: readFileSync(file, 'utf8') }));
  const rows = backlogRows(files, (text) => parse(text) as unknown, projectId ?? owner);
  const unread = entries.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [{ resource: 'file', id: name, reason: problem }],
  );
  return { ...rows, skipped: [...rows.skipped, ...unread] };
}

interface MarkdownEntry extends Omit<BacklogFile, 'text'> {
  readonly path: string;
  /** Why it is not read. */
  readonly problem: string | undefined;
}

function listMarkdown(root: string, folder: BacklogFile['folder']): MarkdownEntry[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith('.md') && name.toLowerCase() !== 'readme.md')
    .sort()
    .map((name) => ({
      folder,
      name: `${folder}/${name}`,
      path: join(path, name),
      problem: problemOf(join(path, name)),
    }));
}

/** Links are not followed: in a folder that came from another machine or account, they could point to any file of this machine. */
function problemOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return 'it is not a regular file';
  return stats.size > MAX_FILE_BYTES
    ? `it has ${stats.size} bytes; the limit is ${MAX_FILE_BYTES}`
    : undefined;
}

/** Other tools store secrets as they are; this store does not. */
function masked(rows: ForeignRows): ForeignRows {
  const adjusted = [...rows.adjusted];
  const mask = <T>(resource: string, row: T, id: string): T => {
    const { value, redacted } = maskStored(row);
    if (redacted.length > 0) adjusted.push({ resource, id, reason: 'a secret was masked' });
    return value;
  };
  return {
    ...rows,
    tasks: rows.tasks.map((row) => mask('task', row, row.id)),
    memories: rows.memories.map((row) => mask('memory', row, row.key)),
    events: rows.events.map(({ metadata, ...row }) => {
      const shown = { ...row, metadata: JSON.parse(metadata) as unknown };
      const safe = mask('event', shown, String(row.id));
      return { ...safe, metadata: JSON.stringify(safe.metadata) };
    }),
    adjusted,
  };
}
