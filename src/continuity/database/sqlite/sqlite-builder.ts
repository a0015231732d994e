import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Tables } from '../tables.ts';

let builder: Kysely<Tables> | undefined;

/** Builds and compiles queries for SQLite. It never runs them: statements are prepared once and kept by the connection. */
export function sqliteBuilder(): Kysely<Tables> {
  builder ??= new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return builder;
}
