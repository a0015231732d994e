import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { isatty } from 'node:tty';
import { getRequestListener } from '@hono/node-server';
import { connectionFile } from '../../app/connection-file.ts';
import { randomHex } from '../../base/ids.ts';
import { systemCode } from '../../base/system-fault.ts';
import type { WebRequest, WebServed } from '../../commands/web/web.ts';
import { identifyCaller } from '../../contract/caller.ts';
import type { CommandContext } from '../../contract/command.ts';
import { limitJit } from '../../system/limit-jit.ts';
import { onOwnExit } from '../../system/on-own-exit.ts';
import { releaseAfterCalls } from '../../system/release-memory.ts';
import { countHosts } from '../http/count-hosts.ts';
import { guardRequest } from '../http/guard-request.ts';
import { CLIENT_TIMEOUTS, listenUntilAborted } from '../http/listen-until-aborted.ts';
import { createWebApp } from './create-web-app.ts';
import { createWebSignIn, type WebSignIn } from './web-sign-in.ts';
import type { WebHost } from './web-host.ts';
import { readTls, type WebTls } from './web-tls.ts';

/** Serves the web pages until the process is interrupted, or for the requested time. */
export async function serveWeb(request: WebRequest, context: CommandContext): Promise<WebServed> {
  const counts = { read: 0, write: 0 };
  const host: WebHost = {
    ...context,
    signal: endOf(request, context),
    readOnly: request.readOnly,
    session: `web-${randomHex(8)}`,
    onCall: (effect) => (counts[effect] += 1),
  };
  limitJit();
  const stopReleasing = releaseAfterCalls(() => counts.read + counts.write);
  await serveLinked(request, host, context).finally(stopReleasing);
  context.signal.throwIfAborted();
  return { calls: counts.read + counts.write };
}

function endOf({ stopAfterMs }: WebRequest, { signal }: CommandContext): AbortSignal {
  return stopAfterMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(stopAfterMs)]);
}

const BROKEN_REQUEST = { message: 'The request could not be processed.' };

/** Listens, and shows each sign-in link on the terminal or writes it to a file. */
async function serveLinked(request: WebRequest, host: WebHost, context: CommandContext): Promise<void> {
  const showsLink = request.linkFile === undefined && isAtTerminal();
  const file = connectionFile({ folder: 'web', named: request.linkFile }, context, process.pid);
  // `work run` finds the server through this file, which contains no secret.
  const known = connectionFile({ folder: 'web', named: undefined }, context, process.pid);
  const remove = (): void => {
    for (const each of [file, known]) each.remove();
  };
  // A forced exit skips the finally block.
  const cancel = onOwnExit(remove);
  let origin = '';
  const secrets = new Map<string | undefined, string>();
  // In the fragment it is not part of any request, so that a preview of the link does not use it up.
  const linkOf = (name: string | undefined): string => `${origin}/sign-in#${secrets.get(name)}`;
  const publish = (names: Iterable<string | undefined>): void => {
    if (origin === '') return;
    const server = { url: origin, ...(request.readOnly && { read_only: true }) };
    if (request.linkFile !== undefined) known.write(server);
    file.write(showsLink ? server : { ...server, ...linksOf(request.people, linkOf) });
    if (showsLink)
      for (const name of names)
        process.stderr.write(
          `${name === undefined ? 'Open this link' : `Link for ${name}`} to sign in; it works once:\n  ${linkOf(name)}\n`,
        );
  };
  const signIn = createWebSignIn({
    isPerson: showsLink && isPerson(context),
    people: request.people,
    now: context.system.clock.now,
    onSecret: (secret, name) => {
      secrets.set(name, secret);
      publish([name]);
    },
  });
  const onListening = (listening: string): void => {
    origin = listening;
    publish(secrets.keys());
    // A program that waits for this message can read the file at once.
    context.progress(`serving ${origin}${showsLink ? '' : `; the sign-in link is in ${file.path}`}`);
  };
  try {
    await listen(request, host, signIn, onListening);
  } finally {
    cancel();
    remove();
  }
}

function linksOf(
  people: readonly string[],
  linkOf: (name: string | undefined) => string,
): { readonly link: string } | { readonly links: Readonly<Record<string, string>> } {
  if (people.length === 0) return { link: linkOf(undefined) };
  return { links: Object.fromEntries(people.map((name) => [name, linkOf(name)])) };
}

async function listen(
  request: WebRequest,
  host: WebHost,
  signIn: WebSignIn,
  onListening: (origin: string) => void,
): Promise<void> {
  const tls = request.tls === undefined ? undefined : readTls(request.tls.cert, request.tls.key);
  const scheme = tls === undefined ? 'http' : 'https';
  const names = tls?.hosts ?? ['127.0.0.1', 'localhost'];
  let port = 0;
  const app = createWebApp(host, {
    port: () => port,
    address: () => ({ scheme, hosts: names.map((name) => `${name}:${port}`) }),
    signIn,
  });
  const server = createWebServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }), tls, host);
  await listenUntilAborted(server, {
    port: request.port,
    address: request.address,
    signal: host.signal,
    scheme,
    onListening: (listening) => {
      port = Number(new URL(listening).port);
      onListening(tls === undefined ? listening : `https://${names[0]}:${port}`);
    },
  });
}

/** An HTTP server, or an HTTPS server with a certificate, that answers requests with one Host header. */
function createWebServer(
  answer: ReturnType<typeof getRequestListener>,
  tls: WebTls | undefined,
  host: WebHost,
): Server {
  const onError = (error: Error): void => {
    // A browser that closes a page ends its requests.
    if (systemCode(error) !== 'ECONNRESET') host.warn(error.message);
  };
  const listener = guardRequest(
    (incoming, response) => {
      // A request to a proxy names another host in its first line.
      const isOwn = incoming.url?.startsWith('/') === true;
      if (isOwn && countHosts(incoming) === 1) return answer(incoming, response);
      const message = isOwn
        ? 'The request must have one Host header.'
        : 'The request must name a path of this server.';
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message }));
      return undefined;
    },
    onError,
    BROKEN_REQUEST,
  );
  if (tls === undefined) return createServer(CLIENT_TIMEOUTS, listener);
  const { cert, key } = tls;
  return createSecureServer({ ...CLIENT_TIMEOUTS, cert, key, minVersion: 'TLSv1.2' }, listener);
}

/** Whether links can be shown on a terminal. Programs of the same account can read every file, but not the screen of a terminal. */
function isAtTerminal(): boolean {
  return isatty(0) && isatty(2);
}

/** Whether a person started the server: not an agent, and not inside a run. */
function isPerson({ system }: CommandContext): boolean {
  return identifyCaller(system).agent === null && !system.env.DEED_RUN_ID;
}
