import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { parseDuration } from '../../continuity/memory/duration.ts';
import { defineRead, type Command, type CommandContext } from '../../contract/command.ts';

export interface WebRequest {
  readonly port: number;
  readonly address: string;
  readonly readOnly: boolean;
  readonly linkFile: string | undefined;
  readonly stopAfterMs: number | undefined;
}

export interface WebServed {
  readonly calls: number;
}

/** Serves the web pages until the process is interrupted; the entrypoint supplies it. */
export type ServeWeb = (request: WebRequest, context: CommandContext) => Promise<WebServed>;

/** The only address without TLS: on any other one, cookies and answers could be read on the network. */
const LOOPBACK = '127.0.0.1';

/** The `web` command; without a server it can be described but not run. */
export function defineWeb(serve?: ServeWeb): Command {
  return defineRead({
    path: 'web',
    summary: 'Serve web pages where people watch, review and decide',
    description:
      'Listens on the loopback interface. The one-time sign-in link is shown on the terminal; without a terminal it is written to a file with mode 0600',
    params: {
      port: described(
        v.optional(v.pipe(int(), v.minValue(0), v.maxValue(65_535)), 0),
        'The port; 0 selects a free one',
      ),
      address: described(v.optional(v.string(), LOOPBACK), `The address to listen on: only ${LOOPBACK}`),
      read_only: described(v.optional(v.boolean(), false), 'Refuse every write'),
      link_file: described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Write the sign-in link to this file, mode 0600 (default without a terminal: in the home folder)',
      ),
      stop_after: described(
        v.optional(v.string()),
        'Stop after this time, such as 30m or 8h (default: when it is interrupted)',
      ),
    },
    output: v.object({ calls: int() }),
    examples: ['web', 'web --port 7333 --read-only', 'web --stop-after 8h'],
    errors: ['E_CONFLICT', 'E_FORBIDDEN'],
    run: async ({ port, address, read_only, link_file, stop_after }, context) => {
      if (serve === undefined) {
        throw new Fault('E_CONFIG', `${context.tool.name} does not serve web pages.`, {
          hint: 'Use the command line.',
        });
      }
      if (address !== LOOPBACK) throw notLoopback(address);
      const stopAfterMs = stop_after === undefined ? undefined : parseDuration(stop_after, 'stop_after');
      return serve({ port, address, readOnly: read_only, linkFile: link_file, stopAfterMs }, context);
    },
  });
}

function notLoopback(address: string): Fault {
  return new Fault('E_FORBIDDEN', `Cannot listen on "${address}": only ${LOOPBACK} is supported.`, {
    hint: `Forward the port from the other machine: ssh -L 7333:${LOOPBACK}:7333 <this machine>`,
    details: { field: 'address', allowed: [LOOPBACK] },
  });
}

export default defineWeb();
