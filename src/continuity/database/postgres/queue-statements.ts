/** Statements about the entries of queues, for the library that has their tables. Times are those of the database, which all hosts share. */
interface QueueStatements {
  /** Selects `day`, the day (UTC). */
  readonly today: string;
  /** Selects `usd`, the sum of the entries of a queue ($1) whose key starts with the day and a text ($2). */
  readonly sumOfToday: string;
  /**
   * Selects `data`, `start_after` and `now` of the entries of a queue ($1) that no process has taken and that have not expired, the oldest
   * first: all, or those with a key ($2). The library deletes expired ones only from time to time.
   */
  readonly unexpired: string;
  /** Selects `jobs`, the values of `jobId` of all entries of items that are not done, and `now`. Only such entries have a heartbeat. */
  readonly openJobs: string;
  /**
   * Selects `name`, `entries`, how many wait in it, and `due`, whether it is this number of seconds ($1) since a process last supervised it,
   * of every queue. The library reads thirty columns.
   */
  readonly queues: string;
}

const DAY = "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')";

/** Contract: the schema is a name that needs no quotes. */
export function queueStatements(schema: string): QueueStatements {
  return {
    today: `SELECT ${DAY} AS day`,
    sumOfToday: `SELECT coalesce(sum((data->>'usd')::float8), 0) AS usd FROM ${schema}.job
      WHERE name = $1 AND starts_with(singleton_key, ${DAY} || $2)`,
    unexpired: `SELECT data, start_after, now() AS now FROM ${schema}.job
      WHERE name = $1 AND ($2::text IS NULL OR singleton_key = $2) AND state < 'active' AND keep_until > now()
      ORDER BY created_on, id`,
    openJobs: `SELECT now() AS now, coalesce(array_agg(DISTINCT data->>'jobId'), '{}') AS jobs FROM ${schema}.job
      WHERE state < 'completed' AND heartbeat_seconds IS NOT NULL AND data->>'jobId' IS NOT NULL`,
    queues: `SELECT name, queued_count AS entries,
      coalesce(monitor_claim_on, monitor_on, '-infinity') <= now() - make_interval(secs => $1) AS due FROM ${schema}.queue`,
  };
}
