import { isPlainObject } from '../../base/json.ts';
import { checkValueType, renderMemoryValue } from '../memory/value-type.ts';
import { noRows, type ForeignRows } from '../store/merge/imported-rows.ts';
import type { DependencyKind, TaskStatus } from '../tasks/task.ts';
import {
  eventRow,
  foreignId,
  invalidSource,
  memoryRow,
  parseForeignTime,
  renderDescription,
  statusOrPending,
  taskRow,
  UNKNOWN_TIME,
} from './foreign-rows.ts';

type Issue = Readonly<Record<string, unknown>>;

const STATUSES: ReadonlyMap<string, TaskStatus> = new Map(
  Object.entries({
    open: 'pending',
    in_progress: 'in_progress',
    blocked: 'blocked',
    deferred: 'blocked',
    closed: 'completed',
    pinned: 'pending',
    hooked: 'pending',
  }),
);
const DEPENDENCIES: ReadonlyMap<string, DependencyKind> = new Map(
  Object.entries({
    blocks: 'blocks',
    'discovered-from': 'discovered-from',
  }),
);
/** Priorities are 0 (first) to 4 there, and larger numbers come first here. */
const NORMAL_PRIORITY = 2;
const PRIORITY_STEP = 10;

/** Converts the lines of an issues file of beads. */
export async function beadsRows(
  lines: AsyncIterable<string>,
  { path, projectId }: { readonly path: string; readonly projectId: string },
): Promise<ForeignRows> {
  const rows: ForeignRows = { ...noRows(), events: [] };
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const entry = parseLine(line, number, path);
    const where = { projectId, number };
    if (entry._type === 'memory') addMemory(entry, rows, where);
    else if (entry._type === undefined || entry._type === 'issue') addIssue(entry, rows, where);
  }
  return rows;
}

interface Where {
  readonly projectId: string;
  readonly number: number;
}

function addIssue(issue: Issue, rows: ForeignRows, { projectId, number }: Where): void {
  const name = text(issue.id);
  const skip = (reason: string): void =>
    void rows.skipped.push({ resource: 'task', id: name || `line ${number}`, reason });
  if (name === '' || text(issue.title) === '') return skip('it has no id or no title');
  if (issue.status === 'tombstone') return skip('it was deleted there');
  const id = foreignId(name, projectId);
  const given = text(issue.status);
  const createdAt = parseForeignTime(issue.created_at) ?? UNKNOWN_TIME;
  const updatedAt = parseForeignTime(issue.updated_at) ?? createdAt;
  rows.tasks.push(
    taskRow({
      id,
      title: text(issue.title),
      description: describe(issue),
      status: statusOrPending(rows, id, { known: STATUSES.get(given || 'open'), given }),
      blockedReason: issue.status === 'deferred' ? 'deferred' : null,
      priority: (NORMAL_PRIORITY - Number(issue.priority ?? NORMAL_PRIORITY)) * PRIORITY_STEP,
      projectId,
      createdAt,
      updatedAt,
    }),
  );
  for (const dependency of objects(issue.dependencies)) {
    const kind = DEPENDENCIES.get(text(dependency.type) || 'blocks') ?? 'related';
    rows.dependencies.push({
      task_id: id,
      depends_on: foreignId(text(dependency.depends_on_id), projectId),
      kind,
      created_at: parseForeignTime(dependency.created_at) ?? createdAt,
    });
  }
  const log = (kind: string, agent: string, message: string, time: string): void =>
    void rows.events.push(
      eventRow({
        id: rows.events.length + 1,
        kind,
        agent,
        projectId,
        taskId: id,
        message,
        metadata: { source: 'beads' },
        createdAt: time,
      }),
    );
  for (const comment of objects(issue.comments))
    log(
      'comment',
      text(comment.author),
      text(comment.text),
      parseForeignTime(comment.created_at) ?? updatedAt,
    );
  if (text(issue.close_reason) !== '')
    log(
      'task_closed',
      text(issue.assignee) || 'beads',
      text(issue.close_reason),
      parseForeignTime(issue.closed_at) ?? updatedAt,
    );
}

function addMemory(entry: Issue, rows: ForeignRows, { projectId, number }: Where): void {
  const key = text(entry.key);
  if (key === '') {
    rows.skipped.push({ resource: 'memory', id: `line ${number}`, reason: 'it has no key' });
    return;
  }
  const value = renderMemoryValue(entry.value ?? '');
  const createdAt = parseForeignTime(entry.created_at) ?? UNKNOWN_TIME;
  rows.memories.push(
    memoryRow({
      id: rows.memories.length + 1,
      scope: 'project',
      scopeId: projectId,
      key,
      value,
      valueType: checkValueType(value, undefined),
      kind: 'fact',
      source: 'beads',
      createdAt,
      updatedAt: parseForeignTime(entry.updated_at) ?? createdAt,
    }),
  );
}

/** The text fields of an issue, with a heading for each after the first. */
function describe(issue: Issue): string {
  const labels = Array.isArray(issue.labels) ? issue.labels.map(String).join(', ') : '';
  return renderDescription(
    [
      text(issue.description),
      section('Design', issue.design),
      section('Acceptance criteria', issue.acceptance_criteria),
      section('Notes', issue.notes),
    ],
    [
      ['Type', text(issue.issue_type)],
      ['Labels', labels],
      ['Assignee', text(issue.assignee)],
      ['Reference', text(issue.external_ref)],
      ['Imported from beads', text(issue.id)],
    ],
  );
}

function section(title: string, value: unknown): string {
  return text(value) === '' ? '' : `${title}:\n${text(value)}`;
}

function objects(value: unknown): readonly Issue[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parseLine(line: string, number: number, path: string): Issue {
  try {
    const value: unknown = JSON.parse(line);
    if (isPlainObject(value)) return value;
  } catch {
    // Reported below, because the message of the parser quotes the line.
  }
  throw invalidSource(
    path,
    `has an invalid line ${number}: it is not a JSON object`,
    'Pass the issues.jsonl of a .beads folder, without merge conflicts.',
  );
}
