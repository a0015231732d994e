import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { LiveEvents } from './live-events.ts';
import type { WebSignIn } from './web-sign-in.ts';
import type { WebEnv } from './web-env.ts';
import type { WebHost } from './web-host.ts';

/** Proxies and browsers close a quiet connection. */
const HEARTBEAT_MS = 5000;

interface EventStream {
  readonly live: LiveEvents;
  readonly host: WebHost;
  readonly signIn: Pick<WebSignIn, 'endIdle'>;
  /** Called at the end. */
  readonly close: () => void;
}

/** Sends the changes to a page until it is closed or its session ends. */
export function answerEvents(context: Context<WebEnv>, { live, host, signIn, close }: EventStream): Response {
  const queue = live.subscribe();
  if (queue === undefined) {
    close();
    return tooManyPages(context);
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

export function tooManyPages(context: Context): Response {
  return context.json({ message: 'Too many open pages.' }, 503);
}
