import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { answerCall, answerFollow, readJson, tooMany, type CallHandler } from './answer-calls.ts';
import { answerEvents, tooManyPages } from './answer-events.ts';
import { findRequestProblem, type OwnAddress } from './find-request-problem.ts';
import { createLiveEvents, MAX_CLIENTS } from './live-events.ts';
import { createRateLimit } from './rate-limit.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { serveAsset, servePage } from './serve-asset.ts';
import { createOpenLimit } from './open-limit.ts';
import type { WebSignIn, WebSession } from './web-sign-in.ts';
import type { WebEnv } from './web-env.ts';
import type { WebHost } from './web-host.ts';

export interface WebAppOptions {
  /** Known only when the server listens. */
  readonly port: () => number;
  readonly address: () => OwnAddress;
  readonly signIn: WebSignIn;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** A page reads at most a few times a second; a script that tries everything is slowed down. */
const CALLS = { max: 300, windowMs: 10_000 };
/** How many calls of one browser are open at a time: some follow a log for hours. */
const MAX_OPEN_CALLS = 200;
/** Half of the limit for all browsers, so that one browser cannot use it up. */
const MAX_EVENT_STREAMS = MAX_CLIENTS / 2;

/** The routes of the server: pages and assets for everyone, data and actions for a signed-in browser. */
export function createWebApp(host: WebHost, { port, address, signIn }: WebAppOptions): Hono<WebEnv> {
  const app = new Hono<WebEnv>();
  // Browsers send a cookie to all ports of a host, so each server needs its own cookie name.
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
  addCalls(app, host);
  addEvents(app, host, signIn);
  app.all('/api/*', (context) => context.json({ message: 'Unknown path.' }, 404));
  app.get('/assets/*', serveAsset);
  app.get('*', (context) => servePage(context, getCookie(context, 'deed_theme')));
  return app;
}

/** The calls of commands, with limits for each browser: how many in a time, and how many open. */
function addCalls(app: Hono<WebEnv>, host: WebHost): void {
  const calls = createRateLimit({ ...CALLS, now: host.system.clock.now });
  const openCalls = createOpenLimit(MAX_OPEN_CALLS);
  const limited =
    (answer: CallHandler) =>
    async (context: Context<WebEnv>): Promise<Response> => {
      const { cookie, session } = context.var;
      const wait = calls.waitSeconds(cookie);
      if (wait !== undefined)
        return tooMany(context, 'This browser sends too many calls. Wait a moment.', wait);
      calls.count(cookie);
      return answer(context, host, {
        count: () => calls.count(cookie),
        open: (count) => openCalls.take(session, count),
      });
    };
  app.post('/api/call', limited(answerCall));
  app.post('/api/follow', limited(answerFollow));
}

function addEvents(app: Hono<WebEnv>, host: WebHost, signIn: WebSignIn): void {
  const live = createLiveEvents(host);
  const streams = createOpenLimit(MAX_EVENT_STREAMS);
  app.get('/api/events', (context) => {
    const close = streams.take(context.var.session);
    return close === undefined ? tooManyPages(context) : answerEvents(context, { live, close, host, signIn });
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
