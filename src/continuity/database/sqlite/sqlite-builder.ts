import {
  DummyDriver,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqlBool,
} from 'kysely';
import type { CompiledQuery } from '../compiled-query.ts';
import { compileWith } from '../compile-query.ts';
import type { AnyQuery, QueryTools } from '../query.ts';
import type { Tables } from '../schema.ts';

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

/** Compiles a query for SQLite. */
export function compileQuery(query: AnyQuery): CompiledQuery {
  return compileWith(builder, TOOLS, query);
}
