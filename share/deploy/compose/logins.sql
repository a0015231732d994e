-- Creates the logins of compose.yaml, or gives them the passwords of its environment.

\getenv worker_password WORKER_PASSWORD
\getenv integrator_password INTEGRATOR_PASSWORD

SELECT format('CREATE ROLE %I LOGIN IN ROLE %I', login, role)
  FROM (VALUES ('deed_runs', 'deed_worker'), ('deed_lands', 'deed_integrator')) AS logins (login, role)
  WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = login)
\gexec

ALTER ROLE deed_runs PASSWORD :'worker_password';
ALTER ROLE deed_lands PASSWORD :'integrator_password';
