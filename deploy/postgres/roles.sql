-- The roles of a store on Postgres. Run it once, as the owner of the store, after "deed store upgrade" has created its tables:
--   psql -d deed -v schema=deed -f roles.sql
-- Then create a login for each machine or person, and grant it one role:
--   CREATE ROLE build_host LOGIN PASSWORD '…' IN ROLE deed_agent;
--
-- deed_agent reads and writes rows. It cannot change tables, functions or roles, so only the owner creates and migrates a store.
-- deed_reader reads: status, lists, briefs, exports.

SELECT format('CREATE ROLE %I NOLOGIN', name)
  FROM (VALUES ('deed_agent'), ('deed_reader')) AS roles (name)
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
