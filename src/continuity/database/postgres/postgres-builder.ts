import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type SqlBool,
} from 'kysely';
import { compileWith } from '../compile-query.ts';
import type { CompiledQuery } from '../compiled-query.ts';
import type { AnyQuery, QueryTools } from '../query.ts';
import type { Tables } from '../schema.ts';

const TOOLS: QueryTools = {
  literal: (text) => sql.lit(text),
  contains: (column, text) => sql<SqlBool>`lower(${column}) like '%' || lower(${text}) || '%' escape '!'`,
};

/** Builds queries for Postgres but never runs them. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Compiles a query for Postgres. */
export function compileQuery(query: AnyQuery): CompiledQuery {
  return compileWith(builder, TOOLS, query);
}
