/** Statements about what a queue costs, for the library that has the queue's tables. */
interface CostStatements {
  /** Selects `day`, the day by the clock of the database, which all hosts share. */
  readonly today: string;
  /** Selects `usd`, the sum of the entries of a queue ($1) whose key starts with the day and a text ($2). */
  readonly sumOfToday: string;
}

const DAY = "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')";

/** Contract: the schema is a name that needs no quotes. */
export function costStatements(schema: string): CostStatements {
  return {
    today: `SELECT ${DAY} AS day`,
    sumOfToday: `SELECT coalesce(sum((data->>'usd')::float8), 0) AS usd FROM ${schema}.job
      WHERE name = $1 AND starts_with(singleton_key, ${DAY} || $2)`,
  };
}
