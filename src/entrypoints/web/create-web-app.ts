import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { stream, streamSSE } from 'hono/streaming';
import { envelope, streamLine } from '../../dialects/deed/envelope.ts';
import { callWebCommand } from './call-web-command.ts';
import { findRequestProblem, type OwnAddress } from './find-request-problem.ts';
import { createLiveEvents, MAX_CLIENTS, type LiveEvents } from './live-events.ts';
import { createRateLimit } from './rate-limit.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { serveAsset, servePage } from './serve-asset.ts';
import { createShare } from './share.ts';
import type { SignIn, WebSession } from './sign-in.ts';
import type { WebHost } from './web-host.ts';

export interface WebAppOptions {
  /** Known only when the server listens. */
  readonly port: () => number;
  readonly address: () => OwnAddress;
  readonly signIn: SignIn;
}

interface Env {
  Bindings: HttpBindings;
  Variables: { session: WebSession; cookie: string };
}

const MAX_BODY_BYTES = 1024 * 1024;
/** Proxies and browsers close a quiet connection. */
const HEARTBEAT_MS = 5000;
/** How many streams one connection carries. */
const MAX_FOLLOWED = 20;
/** A page reads at most a few times a second; a script that tries everything is slowed down. */
const CALLS = { max: 300, windowMs: 10_000 };
/** How many calls of one browser are open at a time: some follow a log for hours. */
const MAX_OPEN_CALLS = 200;
/** Half of those of all browsers, so that one leaves some to the others. */
const MAX_EVENT_STREAMS = MAX_CLIENTS / 2;

/** The routes of the server: pages and assets for everyone, data and actions for a signed-in browser. */
export function createWebApp(host: WebHost, { port, address, signIn }: WebAppOptions): Hono<Env> {
  const app = new Hono<Env>();
  const live = createLiveEvents(host);
  const calls = createRateLimit({ ...CALLS, now: host.system.clock.now });
  const [openCalls, eventStreams] = [createShare(MAX_OPEN_CALLS), createShare(MAX_EVENT_STREAMS)];
  // Cookies do not depend on the port, so that of another server must have another name.
  const cookieName = (): string => `deed_session_${port()}`;
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
    const { method, path } = context.req;
    const problem = findRequestProblem(
      { method, path, header: (name) => context.req.header(name) },
      address(),
    );
    if (problem !== undefined) return context.json({ message: problem.message }, problem.status);
    return next();
  });
  app.use('/api/*', bodyLimit({ maxSize: MAX_BODY_BYTES }), async (context, next) => {
    context.header('cache-control', 'no-store');
    return next();
  });
  app.post('/api/sign-in', async (context) => {
    const { secret } = (await readJson(context)) as { secret?: unknown };
    const sender = context.env.incoming.socket.remoteAddress ?? '';
    const redeemed = signIn.redeem(typeof secret === 'string' ? secret : '', sender);
    if (redeemed.kind === 'limited')
      return tooMany(context, 'Too many attempts. Wait a minute.', redeemed.retryAfterSeconds);
    if (redeemed.kind === 'refused')
      return context.json({ message: 'The link is invalid or was used already.' }, 401);
    const secure = address().scheme === 'https';
    setCookie(context, cookieName(), redeemed.cookie, {
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
      ...(secure && { secure }),
    });
    return context.json({ signed_in: true });
  });
  // Answers null, not an error, for a browser without a session: the page uses this to find out.
  app.get('/api/session', (context) => {
    const session = signIn.find(getCookie(context, cookieName()));
    return context.json(session === undefined ? null : describeSession(session, host));
  });
  app.use('/api/*', async (context, next) => {
    const session = signIn.find(getCookie(context, cookieName()));
    if (session === undefined) return context.json({ message: 'Sign in first.' }, 401);
    context.set('session', session);
    context.set('cookie', getCookie(context, cookieName()) ?? '');
    return next();
  });
  app.post('/api/sign-out', (context) => {
    signIn.end(getCookie(context, cookieName()));
    return context.json({ signed_in: false });
  });
  const limited =
    (answer: Answer) =>
    async (context: Context<Env>): Promise<Response> => {
      const wait = calls.waitSeconds(context.var.cookie);
      if (wait !== undefined) return tooMany(context, 'Too many calls of this browser. Wait a moment.', wait);
      calls.count(context.var.cookie);
      const { session } = context.var;
      return answer(context, host, {
        count: () => calls.count(context.var.cookie),
        open: (count) => openCalls.take(session, count),
      });
    };
  app.post('/api/call', limited(answerCall));
  app.post('/api/follow', limited(answerFollow));
  app.get('/api/events', (context) => {
    const close = eventStreams.take(context.var.session);
    if (close === undefined) return context.json({ message: TOO_MANY_PAGES }, 503);
    return answerEvents(context, { live, close, host, signIn });
  });
  app.all('/api/*', (context) => context.json({ message: 'Unknown path.' }, 404));
  app.get('/assets/*', serveAsset);
  app.get('*', (context) => servePage(context, getCookie(context, 'deed_theme')));
  return app;
}

const TOO_MANY_PAGES = 'Too many open pages.';

interface CallLimits {
  /** Counts a further call of the request, which itself counts as one. */
  readonly count: () => void;
  /** Opens calls; returns what closes them, or undefined when the browser has too many. */
  readonly open: (count: number) => (() => void) | undefined;
}

type Answer = (context: Context<Env>, host: WebHost, limits: CallLimits) => Promise<Response>;

function tooManyOpen(context: Context): Response {
  return tooMany(context, 'Too many open calls of this browser. Close some of its pages.', 1);
}

function tooMany(context: Context, message: string, retryAfterSeconds: number): Response {
  context.header('retry-after', String(retryAfterSeconds));
  return context.json({ message }, 429);
}

interface EventStream {
  readonly live: LiveEvents;
  readonly host: WebHost;
  readonly signIn: Pick<SignIn, 'endIdle'>;
  /** Called at the end. */
  readonly close: () => void;
}

/** Sends the changes to a page until it is closed or its session ends. */
function answerEvents(context: Context<Env>, { live, host, signIn, close }: EventStream): Response {
  const queue = live.subscribe();
  if (queue === undefined) {
    close();
    return context.json({ message: TOO_MANY_PAGES }, 503);
  }
  const { ended } = context.var.session;
  return streamSSE(context, async (events) => {
    events.onAbort(() => {
      queue.close();
      close();
    });
    ended.addEventListener('abort', queue.close);
    await events.writeSSE({ event: 'ready', data: '{}' });
    while (!events.aborted && !host.signal.aborted) {
      const event = await queue.next(HEARTBEAT_MS);
      signIn.endIdle();
      if (ended.aborted) break;
      // An event instead of a comment, so that the page notices when it no longer gets any.
      if (event === undefined) await events.writeSSE({ event: 'quiet', data: '{}' });
      else
        await events.writeSSE({
          event: event.type,
          data: JSON.stringify(event.type === 'changes' ? event.changes : {}),
        });
    }
    ended.removeEventListener('abort', queue.close);
    queue.close();
    close();
  });
}

/** Answers with the envelope of a call, or with one line of JSON per item of a stream. */
async function answerCall(context: Context<Env>, host: WebHost, { open }: CallLimits): Promise<Response> {
  const body = await readJson(context);
  const close = open(1);
  if (close === undefined) return tooManyOpen(context);
  const { reply, cleanUp: end } = await callWebCommand(
    body,
    context.var.session,
    context.req.raw.signal,
    host,
  );
  const cleanUp = (): void => {
    close();
    end();
  };
  if (reply.kind !== 'stream') {
    cleanUp();
    return context.json(envelope(reply));
  }
  context.header('content-type', 'application/x-ndjson');
  return stream(context, async (output) => {
    try {
      for await (const line of reply.lines) {
        if (output.aborted) break;
        await output.write(`${JSON.stringify(streamLine(line))}\n`);
      }
    } finally {
      cleanUp();
    }
  });
}

/** Answers several calls over one connection, because a browser opens only six to one server: the lines of their streams, as they come. */
async function answerFollow(
  context: Context<Env>,
  host: WebHost,
  { count, open }: CallLimits,
): Promise<Response> {
  const { calls } = (await readJson(context)) as { calls?: unknown };
  if (!Array.isArray(calls) || calls.length === 0 || calls.length > MAX_FOLLOWED)
    return context.json({ message: `calls must be a list of 1 to ${MAX_FOLLOWED} calls.` }, 400);
  const close = open(calls.length);
  if (close === undefined) return tooManyOpen(context);
  for (const _ of calls.slice(1)) count();
  const { session } = context.var;
  const { signal } = context.req.raw;
  context.header('content-type', 'application/x-ndjson');
  return stream(context, async (output) => {
    const follow = async (body: unknown, call: number): Promise<void> => {
      const { reply, cleanUp } = await callWebCommand(body, session, signal, host);
      const write = (line: object): Promise<unknown> =>
        output.write(`${JSON.stringify({ call, ...line })}\n`);
      try {
        if (reply.kind !== 'stream') return void (await write({ type: 'reply', ...envelope(reply) }));
        for await (const line of reply.lines) {
          if (output.aborted) break;
          await write(streamLine(line));
        }
      } finally {
        cleanUp();
      }
    };
    await Promise.all(calls.map(follow)).finally(close);
  });
}

function describeSession({ isPerson, name }: WebSession, { system, tool, readOnly }: WebHost): object {
  const { user, host } = system.account;
  return {
    user: name ?? user,
    host,
    version: tool.version,
    read_only: readOnly,
    can_decide: isPerson && !readOnly,
  };
}

/** The body of a request; an empty object when it is not JSON. */
async function readJson(context: Context): Promise<object> {
  const body: unknown = await context.req.json().catch(() => ({}));
  return typeof body === 'object' && body !== null ? body : {};
}
