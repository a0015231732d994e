import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { define, type Query, type Slot, type Values } from '../query.ts';
import type { Tables } from '../schema.ts';
import { EXPORT_TABLES, selectPage, type ExportTable, type PageStart } from './export-tables.ts';

/** The project and the agent of a reader. */
export interface Reader {
  readonly project: string;
  readonly agent: string;
}

type Condition = (eb: ExpressionBuilder<Tables, keyof Tables>, value: Slot<Reader>) => Expression<SqlBool>;

const inProject: Condition = (eb, value) =>
  eb.or([eb('project_id', 'is', null), eb('project_id', '=', value('project'))]);

/** Of the tasks that the reader sees. */
const ofTask =
  (column: 'task_id' | 'depends_on' | 'scope_id'): Condition =>
  (eb, value) =>
    eb(
      column,
      'in',
      eb
        .selectFrom('tasks')
        .select('tasks.id')
        .where((task) =>
          task.or([task('tasks.project_id', 'is', null), task('tasks.project_id', '=', value('project'))]),
        ),
    );

/** Which rows of a table a reader sees. Tables without an entry are not visible, except events: other queries read the newest. */
const VISIBLE: Partial<Record<keyof Tables, Condition>> = {
  tasks: inProject,
  task_counts: (eb, value) => eb('project_id', 'in', ['', value('project')]),
  lost_claims: ofTask('task_id'),
  artifacts: ofTask('task_id'),
  dependencies: (eb, value) => eb.and([ofTask('task_id')(eb, value), ofTask('depends_on')(eb, value)]),
  memories: (eb, value) =>
    eb.or([
      eb('scope', 'not in', ['project', 'agent', 'task']),
      eb.and([eb('scope', '=', 'project'), eb('scope_id', '=', value('project'))]),
      eb.and([eb('scope', '=', 'agent'), eb('scope_id', '=', value('agent'))]),
      eb.and([eb('scope', '=', 'task'), ofTask('scope_id')(eb, value)]),
    ]),
};

/** The tables of which a reader sees rows, with the queries for their first and their next pages. */
export const PROJECT_TABLES = EXPORT_TABLES.flatMap((table) => {
  const condition = VISIBLE[table.name];
  return condition === undefined
    ? []
    : [{ table, first: readPage(table, condition, 'start'), next: readPage(table, condition, 'after') }];
});

function readPage(table: ExportTable, condition: Condition, from: PageStart): Query<Reader & Values, Values> {
  return define<Reader & Values>(`project ${table.name} ${from}`)((db, value) =>
    selectPage(db, table, value as Slot<Values>, from).where((eb) => condition(eb as never, value)),
  );
}
