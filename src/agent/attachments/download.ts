import { lookup as resolveName, type LookupAddress } from 'node:dns';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { faultFromNetwork, faultFromStatus } from '../../base/http-fault.ts';
import { isPublicAddress } from './public-address.ts';

export interface DownloadOptions {
  readonly maxBytes: number;
  /** Allows addresses that are not public; without it they are refused, also after redirects. */
  readonly allowPrivate: boolean;
  /** Used where the environment names a proxy, because the proxy resolves the name. */
  readonly fetch: typeof globalThis.fetch;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'all_proxy'];

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: AsyncIterable<Uint8Array> | Iterable<never>;
  readonly discard: () => void;
}

/** Downloads a file of the public Internet. Throws a Fault for an address that is not public and for a file that is too large. */
export async function download(address: string, options: DownloadOptions): Promise<Buffer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let url = parseAddress(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await request(url, options, signal);
    if (!REDIRECTS.has(answer.status)) return readBody(url, answer, options.maxBytes);
    answer.discard();
    url = parseAddress(URL.parse(answer.location ?? '', url.href)?.href ?? answer.location ?? '');
  }
  throw invalidUrl(address, `it redirects more than ${MAX_REDIRECTS} times`);
}

function parseAddress(address: string): URL {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/u.test(url.protocol))
    throw invalidUrl(address, 'only http and https are read');
  if (url.username !== '' || url.password !== '') throw invalidUrl(url.host, 'it contains credentials');
  return url;
}

async function request(url: URL, options: DownloadOptions, signal: AbortSignal): Promise<Answer> {
  const host = url.hostname.replaceAll(/[[\]]/gu, '');
  if (!options.allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw privateAddress(host, host);
  try {
    return await (isProxied(options.env) ? fetchAnswer(url, options, signal) : connect(url, options, signal));
  } catch (error) {
    throw faultFromNetwork(error, url.href);
  }
}

function isProxied(env: DownloadOptions['env']): boolean {
  return PROXY_VARIABLES.some((name) => Boolean(env[name] ?? env[name.toUpperCase()]));
}

async function fetchAnswer(url: URL, options: DownloadOptions, signal: AbortSignal): Promise<Answer> {
  if (!options.allowPrivate) await assertPublicName(url.hostname);
  const response = await options.fetch(url, { redirect: 'manual', signal });
  return {
    status: response.status,
    location: response.headers.get('location') ?? undefined,
    body: response.body ?? [],
    discard: () => void response.body?.cancel().catch(() => undefined),
  };
}

/** A name that this machine does not know is left to the proxy. */
async function assertPublicName(host: string): Promise<void> {
  const { lookup } = await import('node:dns/promises');
  const known = await lookup(host, { all: true }).catch((): LookupAddress[] => []);
  const found = findPrivate(known);
  if (found !== undefined) throw privateAddress(host, found);
}

/** Connects to the address that was checked: a second lookup could return another one. */
async function connect(url: URL, { allowPrivate }: DownloadOptions, signal: AbortSignal): Promise<Answer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { 'accept-encoding': 'identity', 'user-agent': 'deed' };
  send(url, { headers, signal, agent: false, ...(!allowPrivate && { lookup: lookupPublic }) }, resolve)
    .on('error', reject)
    .end();
  const response = await promise;
  return {
    status: response.statusCode ?? 0,
    location: response.headers.location,
    body: response,
    discard: () => response.destroy(),
  };
}

const lookupPublic: LookupFunction = (host, options, callback) => {
  resolveName(host, { ...options, all: true }, (error, addresses) => {
    const found = error === null ? findPrivate(addresses) : undefined;
    if (error !== null) callback(error, '', 0);
    else if (found !== undefined) callback(privateAddress(host, found), '', 0);
    else if (options.all === true) callback(null, addresses);
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
  });
};

function findPrivate(addresses: readonly LookupAddress[]): string | undefined {
  return addresses.find(({ address }) => !isPublicAddress(address))?.address;
}

async function readBody(url: URL, { status, body, discard }: Answer, maxBytes: number): Promise<Buffer> {
  try {
    if (status !== 200) throw faultFromStatus(status, url.href);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) throw invalidUrl(url.host, `it has more than ${maxBytes} bytes`);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    discard();
    throw faultFromNetwork(error, url.href);
  }
}

function privateAddress(host: string, address: string): Fault {
  const shown = host === address ? host : `${host} (${address})`;
  return new Fault('E_FORBIDDEN', `The address ${shown} is not public, so nothing is read from it.`, {
    hint: 'Pass --allow-private-urls if you trust the URL, or save the file and pass its path.',
    details: { field: 'attach', host, address },
  });
}

function invalidUrl(shown: string, problem: string): Fault {
  return new Fault('E_VALIDATION', `Cannot attach ${shown}: ${problem}.`, {
    hint: 'Pass the path of a file, or an http or https URL of one.',
    details: { field: 'attach', value: shown },
  });
}
