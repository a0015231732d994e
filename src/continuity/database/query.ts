import type { Compilable, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Stands in a query for a value that comes when it runs. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export type Values = Readonly<Record<string, unknown>>;

/** One query of the store: built once, compiled once for a database, prepared once for a connection. */
export interface Query<P, R> {
  readonly build: (builder: Kysely<Tables>) => Compilable<R>;
  /** Never set; carries the type of the values. */
  readonly values?: P;
}

type Slot<P> = <K extends keyof P & string>(name: K) => P[K];

/** Defines a query: `define<{ id: string }>()((db, value) => db.selectFrom('tasks')…where('id', '=', value('id')))`. */
export function define<P = Values>() {
  return <R>(build: (builder: Kysely<Tables>, value: Slot<P>) => Compilable<R>): Query<P, R> => ({
    build: (builder) => build(builder, slot as Slot<P>),
  });
}

/** Defines a family of queries that differ in their shape, such as which filters are set; each shape is one query. */
export function defineShapes<S extends string, P = Values>() {
  return <R>(
    build: (builder: Kysely<Tables>, value: Slot<P>, has: (part: S) => boolean) => Compilable<R>,
  ): ((...parts: readonly (S | false | undefined)[]) => Query<P, R>) => {
    const known = new Map<string, Query<P, R>>();
    return (...parts) => {
      const set = new Set(parts.filter((part): part is S => typeof part === 'string'));
      const key = [...set].sort().join(' ');
      let query = known.get(key);
      if (query === undefined) {
        query = { build: (builder) => build(builder, slot as Slot<P>, (part) => set.has(part)) };
        known.set(key, query);
      }
      return query;
    };
  };
}

function slot(name: string): unknown {
  return new Placeholder(name);
}
