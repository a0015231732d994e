import type { QueryConfig } from 'pg';
import { bindValues, findCompiled, type CompiledQuery } from '../compiled-query.ts';
import type { AnyQuery } from '../query.ts';
import { COMPILED } from './compiled.ts';
import { statementName } from './statement-names.ts';

/** The statement of a query with its values. */
export async function statementOf(query: AnyQuery, values: unknown): Promise<QueryConfig> {
  const [text, parameters] = await compiledOf(query);
  const bound = bindValues(parameters, values as Readonly<Record<string, unknown>>);
  return { name: statementName(text), text, values: bound };
}

const compiled = new Map<AnyQuery, CompiledQuery>();

/** The compiler is loaded only for statements that were not compiled at build time. */
async function compiledOf(query: AnyQuery): Promise<CompiledQuery> {
  const known = compiled.get(query);
  if (known !== undefined) return known;
  const result =
    findCompiled(COMPILED, query.name) ?? (await import('./postgres-builder.ts')).compileQuery(query);
  compiled.set(query, result);
  return result;
}
