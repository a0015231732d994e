import type { Kysely } from 'kysely';
import type { CompiledParameter, CompiledQuery } from './compiled-query.ts';
import { Placeholder, type AnyQuery, type QueryTools } from './query.ts';
import type { Tables } from './schema.ts';

/** Compiles a query to SQL and its parameters: a constant, or the name of a value in a one-element array. */
export function compileWith(builder: Kysely<Tables>, tools: QueryTools, query: AnyQuery): CompiledQuery {
  const { sql, parameters } = query.build(builder, tools).compile();
  return [
    sql,
    parameters.map((parameter) =>
      parameter instanceof Placeholder ? [parameter.name] : (parameter as CompiledParameter),
    ),
  ];
}
