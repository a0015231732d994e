/**
 * The order of events. Readers keep the id of the last event that they saw, so an event must never appear behind it. Postgres assigns ids before
 * the commit: of two concurrent writers, the one with the higher id may commit first.
 *
 * - A writer that excludes all others needs nothing: while it runs, no other event is committed.
 * - A writer that only appends holds the store's lock together with others. Before it gets its first id, it marks the last id that was
 *   assigned, by an advisory lock on that number, until its transaction ends.
 * - A reader takes the lowest marked number, or the last assigned id if none is marked: the watermark. All events up to it are
 *   committed, or never will be. The view `events` shows only these.
 *
 * A reader must get the watermark in a separate statement: locks are released after a commit becomes visible, so a statement that starts
 * later sees every event up to the watermark, but the same statement might not.
 */
export const ORDER_FUNCTIONS: readonly string[] = [
  // The transaction of a writer sees all events, its own included.
  `CREATE VIEW events AS SELECT * FROM event_log
      WHERE id <= coalesce(nullif(current_setting('deed.watermark', true), '')::bigint, 9223372036854775807)`,
  `CREATE FUNCTION last_event_id() RETURNS bigint LANGUAGE sql VOLATILE AS
      $$ SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_ids $$`,
  // Tells the locks of several stores in one database apart.
  `CREATE FUNCTION store_key() RETURNS integer LANGUAGE sql STABLE AS
      $$ SELECT ('event_log'::regclass::oid::bigint & 2147483647)::integer $$`,
  `CREATE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
      $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$`,
  `CREATE FUNCTION begin_write(is_append boolean, OUT now_ms bigint, OUT last_event bigint, OUT version bigint) LANGUAGE plpgsql AS $$
    BEGIN
      IF is_append THEN
        PERFORM pg_advisory_xact_lock_shared(store_key()::bigint);
        PERFORM pg_advisory_xact_lock_shared(store_key(), (last_event_id() & 2147483647)::integer);
      ELSE
        PERFORM pg_advisory_xact_lock(store_key()::bigint);
      END IF;
      PERFORM set_config('deed.watermark', '', true);
      now_ms := clock_ms();
      last_event := last_event_id();
      SELECT s.version INTO version FROM store_schema s;
    END $$`,
  // A marked number is compared by its distance, because it has only 31 bits. Writers that start meanwhile mark a later number.
  `CREATE FUNCTION begin_read(OUT now_ms bigint, OUT last_event bigint, OUT version bigint) LANGUAGE plpgsql AS $$
    DECLARE
      behind bigint;
    BEGIN
      last_event := last_event_id();
      SELECT coalesce(max(distance), 0) INTO behind FROM (
        SELECT (last_event - objid::bigint) & 2147483647 AS distance FROM pg_locks
          WHERE locktype = 'advisory' AND objsubid = 2 AND classid::bigint = store_key()
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      ) AS marks WHERE distance < 1073741824;
      PERFORM set_config('deed.watermark', (last_event - behind)::text, false);
      now_ms := clock_ms();
      SELECT s.version INTO version FROM store_schema s;
    END $$`,
  // After an import, whose rows have their own numbers.
  `CREATE FUNCTION advance_ids() RETURNS void LANGUAGE sql VOLATILE AS $$
      SELECT setval('event_ids', id) FROM (SELECT max(id) AS id FROM event_log) AS last WHERE id > last_event_id();
      SELECT setval('memory_ids', id) FROM (SELECT max(id) AS id FROM memories) AS last
        WHERE id > (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM memory_ids) $$`,
];
