import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { errorMessage } from '../../base/error-message.ts';

/** A certificate with its key, and the names that it is for. */
export interface WebTls {
  readonly cert: string;
  readonly key: string;
  /** As a Host header has them, without the port. */
  readonly hosts: readonly string[];
}

/** Reads a certificate and its key. The server answers only to the names in the certificate. */
export function readTls(certPath: string, keyPath: string): WebTls {
  const [cert, key] = [readPem(certPath, 'tls_cert'), readPem(keyPath, 'tls_key')];
  const hosts = namesOf(cert, certPath);
  if (hosts.length > 0) return { cert, key, hosts };
  throw new Fault('E_CONFIG', `The certificate ${certPath} names no host.`, {
    hint: 'Use a certificate with a subject alternative name: the name or address that browsers open.',
    details: { field: 'tls_cert', path: certPath },
  });
}

function namesOf(cert: string, path: string): readonly string[] {
  try {
    const names = new X509Certificate(cert).subjectAltName ?? '';
    return [...names.matchAll(/(?:DNS|IP Address):([^,\s]+)/gu)].flatMap(([, name = '']) =>
      name.includes('*') ? [] : [isIPv6(name) ? `[${name.toLowerCase()}]` : name.toLowerCase()],
    );
  } catch (error) {
    throw new Fault('E_CONFIG', `Invalid certificate in ${path}: ${errorMessage(error)}.`, {
      hint: 'Use a PEM file.',
      details: { field: 'tls_cert', path },
      cause: error,
    });
  }
}

function readPem(path: string, field: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Fault('E_CONFIG', `Cannot read ${path}: ${errorMessage(error)}.`, {
      hint: `--${field.replace('_', '-')} must name a PEM file that this account can read.`,
      details: { field, path },
      cause: error,
    });
  }
}
