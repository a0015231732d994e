import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { maskStored } from '../../base/secrets/mask-stored.ts';
import { readLines } from '../../system/read-lines.ts';
import { readExport } from '../store/merge/read-export.ts';
import type { ImportedRows } from '../store/merge/imported-rows.ts';
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
}

/** Reads what can be imported. Contract: changes nothing. Secrets in the entries of other tools are masked. */
export async function readSource(
  source: ImportSource,
  { schemaVersion, at, readVybeTables }: ReadOptions,
): Promise<ImportedRows> {
  if (!existsSync(source.path)) {
    throw new Fault('E_NOT_FOUND', `The file ${source.path} does not exist.`, {
      details: { field: 'path', path: source.path },
    });
  }
  switch (source.format) {
    case 'deed':
      return readExport(readLines(source.path), schemaVersion);
    case 'vybe':
      return masked(await readVybe(source.path, at, readVybeTables));
    case 'beads':
      return masked(await readBeads(source));
    case 'backlog':
      return masked(await readBacklog(source));
  }
}

async function readVybe(path: string, at: string, readVybeTables: ReadVybeTables): Promise<ImportedRows> {
  const { vybeRows } = await import('./vybe-rows.ts');
  const file = statSync(path).isDirectory() ? join(path, 'vybe.db') : path;
  const tables = statSync(file, { throwIfNoEntry: false })?.isFile() ? readVybeTables(file) : undefined;
  if (tables === undefined)
    throw invalidSource(file, 'is not a store of vybe', 'Its usual place is ~/.config/vybe/vybe.db.');
  return vybeRows(tables, at);
}

const BEADS_FILES = ['issues.jsonl', 'beads.jsonl'] as const;

async function readBeads({ path, projectId }: ImportSource): Promise<ImportedRows> {
  const { beadsRows } = await import('./beads-rows.ts');
  const isFolder = statSync(path).isDirectory();
  const folders = isFolder ? [join(path, '.beads'), path] : [];
  const found = folders
    .flatMap((folder) => BEADS_FILES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
  const file = isFolder ? found : path;
  if (file === undefined)
    throw invalidSource(
      path,
      'has no issues.jsonl',
      'Pass the folder with .beads in it, or an issues.jsonl.',
    );
  const folder = dirname(file);
  const owner = basename(folder) === '.beads' ? dirname(folder) : folder;
  return beadsRows(readLines(file), { path: file, projectId: projectId ?? owner });
}

const BACKLOG_FOLDERS = ['backlog', '.backlog'] as const;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

async function readBacklog({ path, projectId }: ImportSource): Promise<ImportedRows> {
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
  const files = (['tasks', 'completed', 'decisions'] as const).flatMap((folder) =>
    readMarkdown(root, folder),
  );
  return backlogRows(files, (text) => parse(text) as unknown, projectId ?? owner);
}

function readMarkdown(root: string, folder: BacklogFile['folder']): BacklogFile[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith('.md') && name.toLowerCase() !== 'readme.md')
    .sort()
    .filter(
      (name) => (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? Infinity) <= MAX_FILE_BYTES,
    )
    .map((name) => ({ folder, name: `${folder}/${name}`, text: readFileSync(join(path, name), 'utf8') }));
}

/** Other tools store secrets as they are; this store does not. */
function masked(rows: ImportedRows): ImportedRows {
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
