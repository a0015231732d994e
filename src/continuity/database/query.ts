import type { Compilable, Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely';
import type { Tables } from './schema.ts';

/** Marks a value in a query that is bound when the query runs. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export type Values = Readonly<Record<string, unknown>>;

/**
 * Expressions that plain Kysely does not offer. They are passed in, so that the query files load without Kysely: most statements are
 * compiled at build time, and loading the compiler would slow down every start.
 */
export interface QueryTools {
  /** A literal in the SQL text; a partial index is used only if its condition appears literally. */
  readonly literal: (text: string) => Expression<string>;
  /** Whether a column contains a text, ignoring case; wildcards of LIKE are escaped by "!" in the text. */
  readonly contains: (column: Expression<string>, text: string) => Expression<SqlBool>;
}

/** One query of the store: compiled once per database system, prepared once per connection. */
export interface Query<P, R> {
  readonly name: string;
  readonly build: (builder: Kysely<Tables>, tools: QueryTools) => Compilable<R>;
  /** Never set; carries the type of the values. */
  readonly values?: P;
}

/** A query whose values and rows are not checked by the compiler. */
export type AnyQuery = Omit<Query<never, unknown>, 'values'>;

export type Slot<P> = <K extends keyof P & string>(name: K) => P[K];

/** Defines a query: `define<{ id: string }>('findTask')((db, value) => db.selectFrom('tasks')…where('id', '=', value('id')))`. */
export function define<P = Values>(name: string) {
  return <R>(
    build: (builder: Kysely<Tables>, value: Slot<P>, tools: QueryTools) => Compilable<R>,
  ): Query<P, R> => ({
    name,
    build: (builder, tools) => build(builder, slot as Slot<P>, tools),
  });
}

/** Defines a family of queries that differ in optional parts, such as filters; each combination is one query. */
export function defineShapes<S extends string, P = Values>(name: string) {
  return <R>(
    build: (
      builder: Kysely<Tables>,
      value: Slot<P>,
      has: (part: S) => boolean,
      tools: QueryTools,
    ) => Compilable<R>,
  ): ((...parts: readonly (S | false | undefined)[]) => Query<P, R>) => {
    const known = new Map<string, Query<P, R>>();
    return (...parts) => {
      const set = new Set(parts.filter((part): part is S => typeof part === 'string'));
      const key = [...set].sort().join(' ');
      let query = known.get(key);
      if (query === undefined) {
        query = {
          name: `${name}(${key})`,
          build: (builder, tools) => build(builder, slot as Slot<P>, (part) => set.has(part), tools),
        };
        known.set(key, query);
      }
      return query;
    };
  };
}

const counts = new WeakMap<object, unknown>();

/** Returns the query that counts the rows of another query, without its order and limit. A repeated call returns the same object, which is prepared once. */
export function countRows<P>(rows: Query<P, unknown>): Query<P, { total: number }> {
  const known = counts.get(rows) as Query<P, { total: number }> | undefined;
  if (known !== undefined) return known;
  const query: Query<P, { total: number }> = {
    name: `count of ${rows.name}`,
    build: (builder, tools) =>
      (rows.build(builder, tools) as SelectQueryBuilder<Tables, 'tasks', unknown>)
        .clearSelect()
        .clearOrderBy()
        .clearLimit()
        .select((eb) => eb.fn.countAll<number>().as('total')),
  };
  counts.set(rows, query);
  return query;
}

/** Maps each column to the value of the same name. */
export function valuesOf<P, K extends keyof P & string>(value: Slot<P>, columns: readonly K[]): Pick<P, K> {
  return Object.fromEntries(columns.map((name) => [name, value(name)])) as Pick<P, K>;
}

function slot(name: string): unknown {
  return new Placeholder(name);
}
