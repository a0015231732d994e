import type { HttpBindings } from '@hono/node-server';
import type { WebSession } from './web-sign-in.ts';

/** What a request has besides itself. */
export interface WebEnv {
  Bindings: HttpBindings;
  Variables: { session: WebSession; cookie: string };
}
