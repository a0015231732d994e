import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres, type PostgresOptions } from '../../src/continuity/database/postgres/open-postgres.ts';
import { countEvents } from '../../src/continuity/database/queries/events.ts';
import { createFleetBench, type FleetBench } from '../fixtures/fleet-bench.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../fixtures/postgres-server.ts';
import { createCertificate, useCertificate } from '../fixtures/server-certificate.ts';
import { item } from '../fixtures/work-bench.ts';
import { pushEvent } from '../fixtures/push-events.ts';

const REFUSED = /permission denied|must be owner/u;
const ROLES = fileURLToPath(new URL('../../share/deploy/postgres/roles.sql', import.meta.url));

describe.skipIf(findPostgres() === undefined)('access to a store on Postgres', () => {
  let server: PostgresServer;
  let fleet: FleetBench | undefined;
  let port: number;
  /** The superuser; a process of psql for each statement would take most of the time. */
  let owner: pg.Client;
  const at = (name: string): string => join(server.folder, name);
  const urlOf = (host: string, parameters: Readonly<Record<string, string>> = {}, user = 'agent'): string =>
    `postgres://${user}@${host}:${port}/postgres?${String(new URLSearchParams(parameters))}`;
  const push = (url: string, options: PostgresOptions = {}): Promise<string> =>
    pushEvent(openPostgres(url, { busyTimeoutMs: 500, ...options }), 'a', `${url} ${options.password}`);

  const as = (role: string, schema: string, sql: string) =>
    owner.query(`SET ROLE ${role}; SET search_path = ${schema}; ${sql}`);

  beforeAll(async () => {
    port = await freePort();
    server = startPostgres(
      undefined,
      ['listen_addresses=localhost', 'password_encryption=scram-sha-256'],
      port,
    );
    createCertificate(server.folder, 'ca', 'DNS:localhost');
    createCertificate(server.folder, 'other', 'DNS:localhost');
    useCertificate(server, 'ca');
    const rules = readFileSync(at('data/pg_hba.conf'), 'utf8');
    writeFileSync(
      at('data/pg_hba.conf'),
      `host all agent,reader,outsider,runs,lands all scram-sha-256\n${rules}`,
    );
    await pushEvent(openPostgres(server.urlOf('deed')), 'owner', 'first');
    server.runFile(ROLES, 'deed');
    for (const [user, role] of Object.entries({
      agent: 'deed_agent',
      reader: 'deed_reader',
      outsider: undefined,
      runs: 'deed_worker',
      lands: 'deed_integrator',
    }))
      server.sql(
        `CREATE ROLE ${user} LOGIN PASSWORD 'geheim42' ${role === undefined ? '' : `IN ROLE ${role}`}`,
      );
    server.stop();
    server.start();
    owner = new pg.Client({ host: server.folder, port, user: 'owner', database: 'postgres' });
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await fleet?.dispose();
    server.dispose();
  });

  it('verifies the certificate and the name of the server', async () => {
    const options = { password: 'geheim42' };
    const verified = { sslmode: 'verify-full', sslrootcert: at('ca.pem') };
    expect(Number(await push(urlOf('localhost', verified), options))).toBeGreaterThan(0);
    const certificate = { code: 'E_CONFIG', details: { reason: 'certificate' } };
    await expect(
      push(urlOf('localhost', { ...verified, sslrootcert: at('other.pem') }), options),
    ).rejects.toMatchObject(certificate);
    await expect(push(urlOf('localhost', { sslmode: 'verify-full' }), options)).rejects.toMatchObject(
      certificate,
    );
    await expect(push(urlOf('127.0.0.1', verified), options)).rejects.toMatchObject(certificate);
  });

  it('takes the password from a private file or from the caller, and from nowhere else', async () => {
    const file = at('password');
    writeFileSync(file, 'geheim42\n', { mode: 0o600 });
    expect(Number(await push(urlOf('localhost', { password_file: file })))).toBeGreaterThan(0);
    const auth = { code: 'E_AUTH', details: { reason: 'authentication' } };
    await expect(push(urlOf('localhost'), { password: 'wrong' })).rejects.toMatchObject(auth);
    await expect(push(urlOf('localhost'))).rejects.toMatchObject(auth);
    chmodSync(file, 0o644);
    await expect(push(urlOf('localhost', { password_file: file, schema: 'deed' }))).rejects.toMatchObject({
      code: 'E_FORBIDDEN',
    });
    await expect(push(urlOf('localhost', { password_file: at('missing') }))).rejects.toMatchObject({
      code: 'E_IO',
    });
    expect(() => openPostgres(urlOf('localhost').replace('agent@', 'agent:geheim42@'))).toThrow(
      /contains a password/u,
    );
  });

  it('is given by the roles that ship: agents write rows, readers read, and only the owner changes tables', async () => {
    const password = { password: 'geheim42', busyTimeoutMs: 500 };
    const reader = openPostgres(urlOf('localhost', {}, 'reader'), password);
    expect((await reader.first(countEvents, {}))?.total).toBeGreaterThan(0);
    const forbidden = { code: 'E_FORBIDDEN', details: { reason: 'permission' } };
    await expect(pushEvent(reader, 'r', 'x')).rejects.toMatchObject(forbidden);
    const outsider = openPostgres(urlOf('localhost', {}, 'outsider'), password);
    await expect(outsider.first(countEvents, {})).rejects.toMatchObject(forbidden);
    await expect(push(urlOf('localhost', { schema: 'another' }), password)).rejects.toMatchObject(forbidden);
    for (const sql of [
      'DROP TABLE tasks',
      'ALTER TABLE tasks ADD COLUMN x text',
      'CREATE TABLE x (y text)',
      'UPDATE store_schema SET version = 99',
      'CREATE OR REPLACE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql AS $$ SELECT 0::bigint $$',
    ])
      await expect(as('agent', 'deed', sql), sql).rejects.toThrow(REFUSED);
  });

  it('lets workers and integrators use the queue, but not change its tables; agents do not see it', async () => {
    fleet = createFleetBench(undefined, server.urlOf('deed'));
    const password = at('fleet-password');
    writeFileSync(password, 'geheim42\n', { mode: 0o600 });
    const verified = {
      sslmode: 'verify-full',
      sslrootcert: at('ca.pem'),
      password_file: password,
      schema: 'deed',
    };
    const hostOf = (user: string) =>
      (fleet as FleetBench).host(user, { 'store.url': urlOf('localhost', verified, user) });
    const caller = hostOf('runs');
    // Without its tables, only the owner can create the queue.
    expect(caller.read('worker', 'list').envelope.error?.code).toBe('E_FORBIDDEN');
    expect(fleet.host('owner').read('worker', 'list').envelope.data.count).toBe(0);
    expect(caller.read('worker', 'list').envelope.error?.code).toBe('E_FORBIDDEN');
    server.runFile(ROLES, 'deed');
    const worker = caller.start('worker', 'start');
    const integrator = hostOf('lands').start('integrator', 'start');
    const run = await caller.writeAsync(
      'work',
      'run',
      caller.plan(item('x', 'echo x > x.txt')),
      '--on',
      'default',
    );
    expect(run.envelope.ok, `${run.stdout}\n${worker.output()}\n${integrator.output()}`).toBe(true);
    expect(`${worker.output()}${integrator.output()}`).not.toContain('cannot');
    const agent = hostOf('agent');
    expect(agent.read('task', 'list').envelope.ok).toBe(true);
    expect(agent.read('worker', 'list').envelope.error).toMatchObject({
      code: 'E_FORBIDDEN',
      details: { reason: 'permission' },
    });
    for (const user of ['runs', 'lands'])
      for (const sql of [
        'DROP TABLE job',
        'TRUNCATE job',
        'ALTER TABLE queue ADD COLUMN x text',
        'CREATE TABLE x (y text)',
        'UPDATE version SET version = 1',
        'DELETE FROM version',
        'CREATE OR REPLACE FUNCTION job_now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT now() $$',
      ])
        await expect(as(user, 'deed_queue', sql), `${user}: ${sql}`).rejects.toThrow(REFUSED);
    for (const user of ['agent', 'reader', 'outsider'])
      await expect(as(user, 'deed_queue', 'SELECT count(*) FROM deed_queue.job'), user).rejects.toThrow(
        REFUSED,
      );
    // A second run of the file changes nothing.
    server.runFile(ROLES, 'deed');
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
