-- The roles of a store on Postgres. Run it once, as the owner of the store, after "deed store upgrade" has created its tables, and
-- once more after "deed worker list" has created those of the queue, if there is one:
--   psql -d deed -v schema=deed -f roles.sql
-- Then create a login for each machine or person, and grant it one role:
--   CREATE ROLE build_host LOGIN PASSWORD '…' IN ROLE deed_agent;
--
-- deed_agent reads and writes rows of the store. It cannot change tables, functions or roles, so only the owner creates and migrates a
-- store, and it cannot see the queue.
-- deed_reader reads the store: status, lists, briefs, exports.
-- deed_worker is deed_agent for hosts that run items or submit them: it also reads and writes entries of the queue.
-- deed_integrator is deed_worker for hosts that land results. What only they may do, moving the branch, is enforced by the git remote.

SELECT format('CREATE ROLE %I NOLOGIN', name)
  FROM (VALUES ('deed_agent'), ('deed_reader'), ('deed_worker'), ('deed_integrator')) AS roles (name)
  WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name)
\gexec

REVOKE ALL ON SCHEMA :"schema" FROM PUBLIC;
GRANT USAGE ON SCHEMA :"schema" TO deed_agent, deed_reader;

GRANT SELECT ON ALL TABLES IN SCHEMA :"schema" TO deed_reader;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA :"schema" TO deed_reader;

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA :"schema" TO deed_agent;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA :"schema" TO deed_agent;
-- The version of the schema belongs to the owner.
REVOKE INSERT, UPDATE, DELETE ON :"schema".store_schema FROM deed_agent;

-- Tables that a later migration adds.
ALTER DEFAULT PRIVILEGES IN SCHEMA :"schema" GRANT SELECT ON TABLES TO deed_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA :"schema" GRANT SELECT ON SEQUENCES TO deed_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA :"schema" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO deed_agent;
ALTER DEFAULT PRIVILEGES IN SCHEMA :"schema" GRANT USAGE, SELECT ON SEQUENCES TO deed_agent;

GRANT deed_agent TO deed_worker;
GRANT deed_worker TO deed_integrator;

SELECT left(:'schema', 57) || '_queue' AS queue \gset
SELECT to_regnamespace(quote_ident(:'queue')) IS NOT NULL AS has_queue \gset
\if :has_queue
REVOKE ALL ON SCHEMA :"queue" FROM PUBLIC;
GRANT USAGE ON SCHEMA :"queue" TO deed_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA :"queue" TO deed_worker;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA :"queue" TO deed_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA :"queue" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO deed_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA :"queue" GRANT USAGE, SELECT ON SEQUENCES TO deed_worker;

-- The version of the schema belongs to the owner; the times next to it say which process supervises the queue.
REVOKE INSERT, UPDATE, DELETE ON :"queue".version FROM deed_worker;
SELECT format('GRANT UPDATE (%s) ON %I.version TO deed_worker', string_agg(quote_ident(column_name), ', '), :'queue')
  FROM information_schema.columns
  WHERE table_schema = :'queue' AND table_name = 'version' AND column_name <> 'version'
\gexec
\endif
