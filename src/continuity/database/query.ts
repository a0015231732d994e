import type { Compilable, Expression, Kysely, SqlBool } from 'kysely';
import type { Tables } from './schema.ts';

/** Stands in a query for a value that comes when it runs. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export type Values = Readonly<Record<string, unknown>>;

/**
 * What a builder writes for queries beyond plain Kysely. It is handed in, so that the files with the queries load without Kysely: most
 * statements are compiled before the program is built, and a start must not pay for a compiler that it does not use.
 */
export interface QueryTools {
  /** A constant inside the statement; an index over part of a table is used only when the condition is written out. */
  readonly literal: (text: string) => Expression<string>;
  /** Whether a column holds a text, in whatever case; what LIKE takes for a wildcard is marked by "!" in the text. */
  readonly contains: (column: Expression<string>, text: string) => Expression<SqlBool>;
}

/** One query of the store: compiled once for a database system, prepared once for a connection. */
export interface Query<P, R> {
  readonly name: string;
  readonly build: (builder: Kysely<Tables>, tools: QueryTools) => Compilable<R>;
  /** Never set; carries the type of the values. */
  readonly values?: P;
}

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

/** Defines a family of queries that differ in their shape, such as which filters are set; each shape is one query. */
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

function slot(name: string): unknown {
  return new Placeholder(name);
}
