import { readFileSync, statSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import pg from 'pg';
import { Fault } from '../../../base/fault.ts';
import { faultFromSystem } from '../../../base/system-fault.ts';
import type { PostgresAddress } from './postgres-address.ts';

/** Numbers of Postgres that fit into a number of JavaScript: ids, counts and sums. All other values are text. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 1700]);

/**
 * Calls are short, so one process rarely needs more than two connections: one that writes, and one that reads meanwhile. Few connections
 * per process matter, because every process of every machine has its own.
 */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 10_000;
const IDLE_MS = 2000;

/** Longer than any statement takes; without it, a process whose packets are lost would wait for many minutes. */
const ANSWER_MS = 120_000;

/** Without this, a process that was stopped inside a transaction would keep its locks indefinitely. */
const IDLE_IN_TRANSACTION_MS = 30_000;

export interface PostgresSecrets {
  /** Takes precedence over the password file of the address. */
  readonly password?: string | undefined;
}

const pools = new Map<string, pg.Pool>();

/** The connections to a store, shared by this process. Nothing is opened before the first query; idle connections do not keep the process alive. */
export function poolOf(address: PostgresAddress, secrets: PostgresSecrets): pg.Pool {
  const key = JSON.stringify([address.url, secrets.password]);
  let pool = pools.get(key);
  if (pool === undefined) pools.set(key, (pool = createPool(address, secrets)));
  return pool;
}

function createPool(address: PostgresAddress, secrets: PostgresSecrets): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions(address, secrets),
    options: `-c search_path=${address.schema} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
    application_name: 'deed',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    pipeline: true,
    types: { getTypeParser: (type: number) => (NUMBERS.has(type) ? Number : String) },
  });
  // A connection that breaks while no query uses it is replaced by the next query.
  pool.on('error', () => undefined);
  // One that breaks while it is used fails its query; without a listener, its event would also end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Where and as whom to connect, for every driver. */
export function connectionOptions(address: PostgresAddress, secrets: PostgresSecrets) {
  const { host, port, database, user } = address;
  return {
    host,
    port,
    database,
    user,
    // Never from a file or variable of another program.
    password: () => secrets.password ?? readPassword(address) ?? '',
    ssl: address.tls === 'disable' ? false : verifiedTls(address),
  };
}

/** The certificate must be valid for the name of the host, and its authority known. */
function verifiedTls({ host, rootCertificateFile }: PostgresAddress) {
  return {
    rejectUnauthorized: true,
    // The driver leaves an IP address unchecked, and Node would then expect a certificate for localhost.
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
    ...(rootCertificateFile !== undefined && { ca: readText(rootCertificateFile, 'read the certificate') }),
  };
}

function readPassword({ passwordFile }: PostgresAddress): string | undefined {
  if (passwordFile === undefined) return undefined;
  const password = readText(passwordFile, 'read the password file');
  if ((statSync(passwordFile).mode & 0o077) !== 0)
    throw new Fault('E_FORBIDDEN', `Other users can read the password file ${passwordFile}.`, {
      hint: `Run "chmod 600 ${passwordFile}".`,
      details: { path: passwordFile },
    });
  return password.replace(/\r?\n$/u, '');
}

function readText(path: string, doing: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw faultFromSystem(error, doing, path);
  }
}
