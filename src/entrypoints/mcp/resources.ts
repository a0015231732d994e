import { Fault } from '../../base/fault.ts';
import type { CommandTable } from '../../contract/command.ts';
import type { CommandCall } from './call-command.ts';

interface ResourceRow {
  /** Ends in `{id}` for a template. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly command: string;
}

const ROWS: readonly ResourceRow[] = [
  {
    uri: 'deed://tasks',
    name: 'tasks',
    description: 'The open tasks by priority',
    command: 'task list',
  },
  { uri: 'deed://tasks/{id}', name: 'task', description: 'One task', command: 'task get' },
  { uri: 'deed://runs', name: 'runs', description: 'The work runs, newest first', command: 'work list' },
  { uri: 'deed://runs/{id}', name: 'run', description: 'One work run', command: 'work show' },
  {
    uri: 'deed://receipts',
    name: 'receipts',
    description: 'The receipts of work runs',
    command: 'receipt list',
  },
  { uri: 'deed://receipts/{id}', name: 'receipt', description: 'One receipt', command: 'receipt show' },
];

const MIME = 'application/json';

/** Resources without a variable. */
export function listResources(table: CommandTable) {
  return rows(table)
    .filter(({ uri }) => !uri.endsWith('{id}'))
    .map(({ uri, name, description }) => ({ uri, name, description, mimeType: MIME }));
}

export function listTemplates(table: CommandTable) {
  return rows(table)
    .filter(({ uri }) => uri.endsWith('{id}'))
    .map(({ uri, name, description }) => ({ uriTemplate: uri, name, description, mimeType: MIME }));
}

/** Maps a URI to its query. */
export function resolveResource(uri: string, table: CommandTable): CommandCall {
  for (const row of rows(table)) {
    if (row.uri === uri) return { effect: 'read', command: row.command };
    const prefix = row.uri.endsWith('{id}') ? row.uri.slice(0, -'{id}'.length) : undefined;
    const id = prefix !== undefined && uri.startsWith(prefix) ? decode(uri.slice(prefix.length)) : '';
    if (id !== '') return { effect: 'read', command: row.command, parameters: { id } };
  }
  throw new Fault('E_NOT_FOUND', `Unknown resource: ${uri}.`, {
    hint: 'List the resources and templates for valid URIs.',
    details: { field: 'uri' },
  });
}

function rows(table: CommandTable): readonly ResourceRow[] {
  return ROWS.filter(({ command }) => table.has(command));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
