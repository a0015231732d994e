import { splitFrontmatter } from '../../base/split-frontmatter.ts';
import { isPlainObject } from '../../base/json.ts';
import { noRows, type ForeignRows } from '../store/merge/imported-rows.ts';
import type { TaskStatus } from '../tasks/task.ts';
import {
  foreignId,
  memoryRow,
  parseForeignTime,
  renderDescription,
  statusOrPending,
  taskRow,
  UNKNOWN_TIME,
} from './foreign-rows.ts';

/** A file of a Backlog.md folder: the folder that it is in, and its text. */
export interface BacklogFile {
  readonly folder: 'tasks' | 'completed' | 'decisions';
  readonly name: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

const STATUSES: ReadonlyMap<string, TaskStatus> = new Map(
  Object.entries({
    'to do': 'pending',
    todo: 'pending',
    'in progress': 'in_progress',
    blocked: 'blocked',
    done: 'completed',
  }),
);
const PRIORITIES: ReadonlyMap<string, number> = new Map(Object.entries({ high: 10, medium: 0, low: -10 }));

/** Converts the files of a Backlog.md folder: tasks become tasks, and decisions become memories of the project. */
export function backlogRows(
  files: readonly BacklogFile[],
  parseYaml: (text: string) => unknown,
  projectId: string,
): ForeignRows {
  const rows: ForeignRows = { ...noRows(), events: [] };
  for (const file of files) {
    const parsed = parseFile(file.text, parseYaml);
    const resource = file.folder === 'decisions' ? 'memory' : 'task';
    if (parsed === undefined || text(parsed.fields.id) === '')
      rows.skipped.push({ resource, id: file.name, reason: 'it has no frontmatter with an id' });
    else if (resource === 'task') addTask(parsed, file, rows, projectId);
    else addDecision(parsed, rows, projectId);
  }
  return rows;
}

interface Parsed {
  readonly fields: Fields;
  readonly body: string;
}

function addTask({ fields, body }: Parsed, file: BacklogFile, rows: ForeignRows, projectId: string): void {
  const id = taskId(text(fields.id), projectId);
  const given = text(fields.status);
  const known = file.folder === 'completed' ? 'completed' : STATUSES.get(given.toLowerCase());
  const createdAt = parseForeignTime(fields.created_date) ?? UNKNOWN_TIME;
  rows.tasks.push(
    taskRow({
      id,
      title: text(fields.title),
      description: describe(fields, body),
      status: statusOrPending(rows, id, { known, given }),
      priority: PRIORITIES.get(text(fields.priority).toLowerCase()) ?? 0,
      projectId,
      createdAt,
      updatedAt: parseForeignTime(fields.updated_date ?? '') ?? createdAt,
    }),
  );
  const link = (other: string, kind: string): void =>
    void rows.dependencies.push({
      task_id: id,
      depends_on: taskId(other, projectId),
      kind,
      created_at: createdAt,
    });
  for (const other of list(fields.dependencies)) link(other, 'blocks');
  if (text(fields.parent_task_id) !== '') link(text(fields.parent_task_id), 'related');
}

/** Only decisions that hold are imported. */
function addDecision({ fields, body }: Parsed, rows: ForeignRows, projectId: string): void {
  const id = text(fields.id);
  const status = text(fields.status).toLowerCase();
  if (status === 'rejected' || status === 'superseded') {
    rows.skipped.push({ resource: 'memory', id, reason: `the decision is ${status}` });
    return;
  }
  const createdAt = parseForeignTime(fields.date) ?? UNKNOWN_TIME;
  rows.memories.push(
    memoryRow({
      id: rows.memories.length + 1,
      scope: 'project',
      scopeId: projectId,
      key: id,
      value: `${text(fields.title)}\n\n${withoutMarkers(body)}`.trim(),
      valueType: 'string',
      kind: 'decision',
      source: 'backlog',
      createdAt,
      updatedAt: createdAt,
    }),
  );
}

function describe(fields: Fields, body: string): string {
  return renderDescription(
    [withoutMarkers(body)],
    [
      ['Labels', list(fields.labels).join(', ')],
      ['Assignee', list(fields.assignee).join(', ')],
      ['Milestone', text(fields.milestone)],
      ['Imported from Backlog.md', text(fields.id)],
    ],
  );
}

/** Names with "@" at their beginning are written without quotes there, which YAML does not allow. */
const BARE_NAME = /(^\s*(?:-|\w+:)\s*|[[,]\s*)(@[^\s,\]'"]+)/gmu;

function parseFile(content: string, parseYaml: (text: string) => unknown): Parsed | undefined {
  const { yaml, body } = splitFrontmatter(content);
  if (yaml === undefined) return undefined;
  try {
    const fields = parseYaml(yaml.replaceAll(BARE_NAME, '$1"$2"'));
    return isPlainObject(fields) ? { fields, body } : undefined;
  } catch {
    return undefined;
  }
}

/** The comments by which that tool finds its sections. */
function withoutMarkers(body: string): string {
  return body
    .replaceAll(/^[ \t]*<!--[^\n]*-->[ \t]*\r?\n?/gmu, '')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
}

/** Ids are compared there without regard to case. */
function taskId(id: string, projectId: string): string {
  return foreignId(id.toLowerCase(), projectId);
}

function list(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(text).filter((item) => item !== '');
  return text(value) === '' ? [] : [text(value)];
}

function text(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
