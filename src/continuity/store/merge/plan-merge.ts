import type { QueryRunner } from '../../database/database.ts';
import { isPerson } from '../../person.ts';
import type { MemoryRow } from '../../memory/memory.ts';
import type { TaskRow } from '../../tasks/task.ts';
import type { ArtifactRow, ImportedRows } from './imported-rows.ts';
import type { EventMatcher } from './match-events.ts';
import type { OnImport } from './on-import.ts';
import { mergeDependencies, type DependencyChanges } from './merge-dependencies.ts';
import { locationOf, mergeMemories, type KeyChange } from './merge-memories.ts';
import { MergeCounter, type MergeReport } from './merge-report.ts';
import { mergeTasks, type TaskChanges } from './merge-tasks.ts';
import { versionKey } from './memory-timeline.ts';
import { readTable } from './read-table.ts';

/** The writes of an import into a store that has data. */
export interface MergePlan {
  readonly tasks: TaskChanges;
  readonly dependencies: DependencyChanges;
  readonly memories: readonly KeyChange[];
  readonly artifacts: readonly ArtifactRow[];
  readonly report: MergeReport;
}

export interface MergeOptions {
  /** The name of the caller. */
  readonly caller: string;
  /** Whether the rows come from another tool, which is right if nothing has changed here since its last import. */
  readonly isForeign: boolean;
}

/**
 * Plans the merge of rows of another store; the matcher has their events and may have read the store before. Contract: reads only. Merging the same rows again changes nothing, and two stores that merge
 * each other's rows have the same tasks, dependencies, events, memories and artifacts.
 */
export async function planMerge(
  db: QueryRunner,
  rows: ImportedRows,
  matcher: EventMatcher,
  options: MergeOptions,
  onRows?: OnImport,
): Promise<MergePlan> {
  const counter = new MergeCounter(rows);
  await matcher.follow(db, onRows);
  const [log, newLog] = [matcher.log(), matcher.newLog()];
  counter.imported.events += matcher.missing;
  counter.unchanged.events += matcher.matched;
  const tasks = await mergeTasks(db, rows.tasks, { log, newLog, ...options }, counter);
  const ids = await taskIds(db, tasks);
  const hasTask = (id: string): boolean => ids.has(id);
  const dependencies = await mergeDependencies(db, rows, newLog, hasTask, counter);
  const memories = await mergeMemories(
    db,
    await withoutForgedDirectives(db, rows.memories, options.caller, counter),
    counter,
  );
  const artifacts = await mergeArtifacts(db, rows.artifacts, hasTask, counter);
  return { tasks, dependencies, memories, artifacts, report: counter };
}

async function taskIds(db: QueryRunner, { inserts, deletions }: TaskChanges): Promise<Set<string>> {
  const ids = new Set(inserts.map(({ id }) => id));
  for await (const { id } of readTable<TaskRow>(db, 'tasks')) ids.add(id);
  for (const id of deletions) ids.delete(id);
  return ids;
}

/** An agent cannot bring a directive into the store by importing it. */
async function withoutForgedDirectives(
  db: QueryRunner,
  memories: readonly MemoryRow[],
  caller: string,
  counter: MergeCounter,
): Promise<readonly MemoryRow[]> {
  if (isPerson(caller) || !memories.some(({ kind }) => kind === 'directive')) return memories;
  const known = new Set<string>();
  for await (const row of readTable<MemoryRow>(db, 'memories')) known.add(versionKey(row));
  return memories.filter((row) => {
    if (row.kind !== 'directive' || known.has(versionKey(row))) return true;
    counter.skip('memory', locationOf(row), 'only a person can import a directive');
    return false;
  });
}

async function mergeArtifacts(
  db: QueryRunner,
  artifacts: readonly ArtifactRow[],
  hasTask: (id: string) => boolean,
  counter: MergeCounter,
): Promise<ArtifactRow[]> {
  if (artifacts.length === 0) return [];
  const known = new Set<string>();
  for await (const { id } of readTable<ArtifactRow>(db, 'artifacts')) known.add(id);
  const inserts = artifacts.filter(({ id, task_id }) => {
    if (known.has(id)) counter.unchanged.artifacts += 1;
    else if (!hasTask(task_id)) counter.skip('artifact', id, 'this store does not have its task');
    return !known.has(id) && hasTask(task_id);
  });
  counter.imported.artifacts += inserts.length;
  return inserts;
}
