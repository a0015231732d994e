import { Fault } from '../../../base/fault.ts';
import { assertNoPassword } from '../store-address.ts';

/** Where a store on Postgres is, and how to reach it. It never contains a password. */
export interface PostgresAddress {
  /** The URL as given; shown in messages and answers. */
  readonly url: string;
  /** A host name, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** The Postgres schema that contains the tables. */
  readonly schema: string;
  readonly tls: 'verify-full' | 'disable';
  readonly rootCertificateFile: string | undefined;
  readonly passwordFile: string | undefined;
}

const PARAMETERS = ['host', 'password_file', 'schema', 'sslmode', 'sslrootcert'];
const DEFAULT_PORT = 5432;

/** Parses `postgres://user@host:port/database?schema=…`. Rejects a password, and connections to other machines that are not verified. */
export function parsePostgresUrl(url: string): PostgresAddress {
  assertNoPassword(url);
  const parsed = URL.parse(url);
  if (parsed === null) throw invalid(url, 'It is not a URL.');
  const unknown = [...parsed.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw invalid(url, `"${unknown}" is not one of its parameters: ${PARAMETERS.join(', ')}.`);
  const parameter = (name: string): string | undefined => parsed.searchParams.get(name) || undefined;
  const host = parameter('host') ?? decodeURIComponent(parsed.hostname);
  const database = decodeURIComponent(parsed.pathname.slice(1));
  const schema = parameter('schema') ?? 'deed';
  if (host === '') throw invalid(url, 'It names no host.');
  if (database === '' || database.includes('/')) throw invalid(url, 'It names no database.');
  if (parsed.username === '') throw invalid(url, 'It names no user.');
  if (!/^[a-z_][a-z0-9_]{0,62}$/u.test(schema)) throw invalid(url, `"${schema}" is not a schema name.`);
  return {
    url,
    host: host.replaceAll(/[[\]]/gu, ''),
    port: parsed.port === '' ? DEFAULT_PORT : Number(parsed.port),
    database,
    user: decodeURIComponent(parsed.username),
    schema,
    tls: tlsOf(url, host, parameter('sslmode')),
    rootCertificateFile: parameter('sslrootcert'),
    passwordFile: parameter('password_file'),
  };
}

/** A connection within this machine is not encrypted unless asked; any other is verified, with no way to weaken it. */
function tlsOf(url: string, host: string, asked: string | undefined): PostgresAddress['tls'] {
  if (host.startsWith('/')) return 'disable';
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(host);
  if (asked === 'verify-full' || (asked === undefined && !isLocal)) return 'verify-full';
  if (isLocal && (asked === undefined || asked === 'disable')) return 'disable';
  throw invalid(
    url,
    `sslmode "${asked}" is not allowed for ${host}: connections to other machines are verified (verify-full).`,
    'Omit sslmode; name the certificate of a private authority with sslrootcert.',
  );
}

function invalid(url: string, problem: string, hint?: string): Fault {
  return new Fault('E_VALIDATION', `Invalid URL of a store: "${url}". ${problem}`, {
    hint: hint ?? 'Example: postgres://deed@db.example.com/deed?password_file=/etc/deed/password.',
    details: { field: 'url' },
  });
}
