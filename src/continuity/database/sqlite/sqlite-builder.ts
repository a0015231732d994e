import {
  DummyDriver,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqlBool,
} from 'kysely';
import { Placeholder, type Query, type QueryTools } from '../query.ts';
import type { Tables } from '../schema.ts';
import type { CompiledParameter, CompiledQuery } from './compiled.ts';

/** The only handwritten SQL for SQLite; another database has its own tools. */
const TOOLS: QueryTools = {
  literal: (text) => sql.lit(text),
  contains: (column, text) => sql<SqlBool>`lower(${column}) like '%' || lower(${text}) || '%' escape '!'`,
};

/** Builds queries for SQLite but never runs them: the connection caches prepared statements. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Compiles a query to SQL and its parameters: a constant, or the name of a value in a one-element array. */
export function compileQuery(query: Query<never, unknown>): CompiledQuery {
  const { sql: text, parameters } = query.build(builder, TOOLS).compile();
  return [
    text,
    parameters.map((parameter) =>
      parameter instanceof Placeholder ? [parameter.name] : (parameter as CompiledParameter),
    ),
  ];
}
