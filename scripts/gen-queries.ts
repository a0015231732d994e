/**
 * Compiles the queries of the store with Kysely into compiled.ts of each database, so that a start does not need the compiler.
 * For a query with variants, only those of the most frequent calls are listed here; the others are compiled on use.
 */
import { writeFileSync } from 'node:fs';
import { format } from 'node:util';
import { countRows, type AnyQuery } from '../src/continuity/database/query.ts';
import type { CompiledQuery } from '../src/continuity/database/compiled-query.ts';
import type { FullText } from '../src/continuity/database/full-text.ts';
import { ADVANCE_IDS } from '../src/continuity/database/postgres/advance-ids.ts';
import { compileQuery as compileForPostgres } from '../src/continuity/database/postgres/postgres-builder.ts';
import { POSTGRES_FULL_TEXT } from '../src/continuity/database/postgres/postgres-full-text.ts';
import { EXPORT_TABLES, insertRow } from '../src/continuity/database/queries/export-tables.ts';
import { compileQuery as compileForSqlite } from '../src/continuity/database/sqlite/sqlite-builder.ts';
import { SQLITE_FULL_TEXT } from '../src/continuity/database/sqlite/sqlite-full-text.ts';
import * as agents from '../src/continuity/database/queries/agents.ts';
import * as artifacts from '../src/continuity/database/queries/artifacts.ts';
import * as claims from '../src/continuity/database/queries/claims.ts';
import * as dependencies from '../src/continuity/database/queries/dependencies.ts';
import * as briefEvents from '../src/continuity/database/queries/brief-events.ts';
import * as events from '../src/continuity/database/queries/events.ts';
import { PROJECT_TABLES } from '../src/continuity/database/queries/project-rows.ts';
import * as memories from '../src/continuity/database/queries/memories.ts';
import * as memoryScopes from '../src/continuity/database/queries/memory-scopes.ts';
import * as retention from '../src/continuity/database/queries/retention.ts';
import * as requests from '../src/continuity/database/queries/requests.ts';
import * as tasks from '../src/continuity/database/queries/tasks.ts';
import { ROOT } from './build-constants.ts';

const SHAPES: readonly unknown[] = [
  tasks.listTasks('ready'),
  tasks.listTasks('ready', 'project'),
  tasks.listTasks('ready', 'unassigned'),
  tasks.listTasks(),
  tasks.listTasks('project'),
  tasks.listTasks('status'),
  tasks.listTasks('status', 'project'),
  tasks.listAbandoned(),
  tasks.listAbandoned('project'),
  tasks.listAbandoned('unassigned'),
  tasks.listClaimed(),
  tasks.listClaimed('project'),
  claims.firstRetry(),
  claims.firstRetry('project'),
  tasks.countTasks(),
  tasks.countTasks('project'),
  events.listDeltas(),
  events.listDeltas('project'),
  events.listDeltas('unassigned'),
  events.newestDeltas(),
  events.newestDeltas('project'),
  events.newestDeltas('unassigned'),
  events.countDeltas(),
  events.countDeltas('project'),
  events.countDeltas('unassigned'),
  briefEvents.newestReports(),
  briefEvents.newestReports('task'),
  briefEvents.newestReports('project'),
  briefEvents.newestPrompts(),
  briefEvents.newestPrompts('project'),
  briefEvents.newestMessages(),
  briefEvents.newestMessages('project'),
  briefEvents.newestClosings(),
  briefEvents.newestClosings('project'),
  briefEvents.newestFailures(),
  briefEvents.newestFailures('project'),
  briefEvents.newestTools(),
  briefEvents.newestTools('project'),
  briefEvents.recentRuns(),
  briefEvents.recentRuns('project'),
  countRows(tasks.listTasks()),
  countRows(tasks.listTasks('ready')),
  countRows(tasks.listTasks('ready', 'project')),
  countRows(tasks.listTasks('project')),
  countRows(tasks.listTasks('status')),
  countRows(tasks.listTasks('status', 'project')),
  events.listEvents('agent'),
  events.listEvents('agent', 'task'),
  events.listEvents('task'),
  events.listEvents('kind'),
  events.listEvents('agent', 'kind'),
  events.listEvents(),
  countRows(events.listEvents('agent')),
  countRows(events.listEvents('agent', 'task')),
  countRows(events.listEvents('task')),
  countRows(events.listEvents()),
  memories.listMemories(),
  countRows(memories.listMemories()),
  artifacts.listArtifacts(),
  countRows(artifacts.listArtifacts()),
];

/** The rows of a store, for imports and for the copies that runs get. */
const ROWS: readonly unknown[] = [
  ...EXPORT_TABLES.map(insertRow),
  ...PROJECT_TABLES.flatMap(({ first, next }) => [first, next]),
];

/** The variants of a search, which each database compiles differently. */
const searchesOf = ({ search }: FullText): readonly unknown[] => [
  search('visible'),
  search(),
  search('newest'),
  search('visible', 'newest'),
];

interface Target {
  readonly fullText: FullText;
  readonly compile: (query: AnyQuery) => CompiledQuery;
  /** Queries that only this database has. */
  readonly own: readonly unknown[];
}

const TARGETS: Readonly<Record<'sqlite' | 'postgres', Target>> = {
  sqlite: { fullText: SQLITE_FULL_TEXT, compile: compileForSqlite, own: [] },
  postgres: { fullText: POSTGRES_FULL_TEXT, compile: compileForPostgres, own: [ADVANCE_IDS] },
};

/** The content of the generated file of a database. */
export function renderCompiled(name: keyof typeof TARGETS): string {
  const { fullText, compile, own } = TARGETS[name];
  const groups = [
    agents,
    artifacts,
    claims,
    dependencies,
    briefEvents,
    events,
    memories,
    memoryScopes,
    requests,
    retention,
    tasks,
    fullText,
  ];
  const fixed = groups.flatMap((group): unknown[] =>
    Object.values(group)
      .flat()
      .filter((value) => typeof value === 'object'),
  );
  const queries = [...fixed, ...SHAPES, ...ROWS, ...searchesOf(fullText), ...own] as AnyQuery[];
  const rows = queries
    .map((query) => [query.name, compile(query)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([query, [sql, parameters]]) =>
      format('  %s: %s,', quote(query), quote(`${sql}\n${JSON.stringify(parameters)}`)),
    );
  return `// Generated by scripts/gen-queries.ts from the queries in src/continuity/database/queries; "npm run generate" writes it again.
import type { CompiledQueries } from '../compiled-query.ts';

export const COMPILED: CompiledQueries = {
${rows.join('\n')}
};
`;
}

/** A string literal in single quotes: SQL has many double ones. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

if (import.meta.main)
  for (const name of ['sqlite', 'postgres'] as const)
    writeFileSync(`${ROOT}src/continuity/database/${name}/compiled.ts`, renderCompiled(name));
