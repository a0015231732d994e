import type { Context } from 'hono';
import { stream } from 'hono/streaming';
import { envelope, streamLine } from '../../dialects/deed/envelope.ts';
import { callWebCommand } from './call-web-command.ts';
import type { WebEnv } from './web-env.ts';
import type { WebHost } from './web-host.ts';

/** How many streams one connection carries. */
const MAX_FOLLOWED = 20;

interface CallLimits {
  /** Counts a further call of the request, which itself counts as one. */
  readonly count: () => void;
  /** Opens calls; returns what closes them, or undefined when the browser has too many. */
  readonly open: (count: number) => (() => void) | undefined;
}

/** Answers a request that is one call or several. */
export type CallHandler = (context: Context<WebEnv>, host: WebHost, limits: CallLimits) => Promise<Response>;

function tooManyOpen(context: Context): Response {
  return tooMany(context, 'This browser has too many open calls. Close some of its pages.', 1);
}

/** Answers with the envelope of a call, or with one line of JSON per item of a stream. */
export async function answerCall(
  context: Context<WebEnv>,
  host: WebHost,
  { open }: CallLimits,
): Promise<Response> {
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
export async function answerFollow(
  context: Context<WebEnv>,
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
        if (reply.kind !== 'stream') {
          await write({ type: 'reply', ...envelope(reply) });
          return;
        }
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

export function tooMany(context: Context, message: string, retryAfterSeconds: number): Response {
  context.header('retry-after', String(retryAfterSeconds));
  return context.json({ message }, 429);
}

/** The body of a request; an empty object when it is not JSON. */
export async function readJson(context: Context): Promise<object> {
  const body: unknown = await context.req.json().catch(() => ({}));
  return typeof body === 'object' && body !== null ? body : {};
}
