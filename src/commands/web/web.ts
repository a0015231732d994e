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
  /** The people who get a separate sign-in link. */
  readonly people: readonly string[];
  /** The files of the certificate and its key. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

export interface WebServed {
  readonly calls: number;
}

/** Serves the web pages until the process is interrupted; the entrypoint supplies it. */
export type ServeWeb = (request: WebRequest, context: CommandContext) => Promise<WebServed>;

/** The only address without TLS: on any other address, cookies and answers could be read on the network. */
const LOOPBACK = '127.0.0.1';
const text = () => v.pipe(v.string(), v.minLength(1));
/** As in the journal, where people have the prefix "user:". */
const personName = v.pipe(
  v.string(),
  v.regex(/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u, 'is not a name: use letters, digits and . _ @ -'),
);

/** The `web` command; without a server it can be described but not run. */
export function defineWeb(serve?: ServeWeb): Command {
  return defineRead({
    path: 'web',
    summary: 'Serve web pages where people watch, review and decide',
    description:
      'Listens on the loopback interface; on other addresses only with TLS and a link for each person. The one-time sign-in links are shown on the terminal; without a terminal they are written to a file with mode 0600',
    params: {
      port: described(
        v.optional(v.pipe(int(), v.minValue(0), v.maxValue(65_535)), 0),
        'The port; 0 selects a free one',
      ),
      address: described(
        v.optional(v.string(), LOOPBACK),
        `The address to listen on; any address other than ${LOOPBACK} needs --tls-cert, --tls-key and --people`,
      ),
      tls_cert: described(
        v.optional(text()),
        'The certificate, as a PEM file; the server answers only to the names in it',
      ),
      tls_key: described(v.optional(text()), 'The key of the certificate, as a PEM file'),
      people: described(
        v.optional(v.pipe(v.array(personName), v.maxLength(50))),
        'The people who sign in, each with their own link: alice,bob',
      ),
      read_only: described(v.optional(v.boolean(), false), 'Refuse every write'),
      link_file: described(
        v.optional(text()),
        'Write the sign-in link to this file, mode 0600 (default without a terminal: in the home folder)',
      ),
      stop_after: described(
        v.optional(v.string()),
        'Stop after this time, such as 30m or 8h (default: when it is interrupted)',
      ),
    },
    output: v.object({ calls: int() }),
    examples: [
      'web',
      'web --port 7333 --read-only',
      'web --stop-after 8h --people alice,bob',
      'web --address 0.0.0.0 --port 7333 --tls-cert cert.pem --tls-key key.pem --people alice,bob',
    ],
    errors: ['E_CONFLICT', 'E_FORBIDDEN', 'E_CONFIG', 'E_USAGE'],
    run: async (params, context) => {
      if (serve === undefined) {
        throw new Fault('E_CONFIG', `${context.tool.name} does not serve web pages.`, {
          hint: 'Use the command line.',
        });
      }
      const { port, address, read_only: readOnly, link_file: linkFile, stop_after } = params;
      const people = [...new Set(params.people)];
      const tls = tlsOf(params);
      if (address !== LOOPBACK && (tls === undefined || people.length === 0)) throw notProtected(address);
      const stopAfterMs = stop_after === undefined ? undefined : parseDuration(stop_after, 'stop_after');
      return serve({ port, address, readOnly, linkFile, stopAfterMs, people, tls }, context);
    },
  });
}

function tlsOf(params: {
  readonly tls_cert?: string | undefined;
  readonly tls_key?: string | undefined;
}): WebRequest['tls'] {
  const { tls_cert: cert, tls_key: key } = params;
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw new Fault('E_USAGE', '--tls-cert and --tls-key must be passed together.', {
    hint: 'Pass both files, or neither.',
    details: { field: cert === undefined ? 'tls_cert' : 'tls_key' },
  });
}

function notProtected(address: string): Fault {
  return new Fault('E_FORBIDDEN', `Cannot listen on "${address}" without TLS and a link for each person.`, {
    hint: `Add --tls-cert, --tls-key and --people, or forward the port from the other machine: ssh -L 7333:${LOOPBACK}:7333 <this machine>`,
    details: { field: 'address', allowed: [LOOPBACK] },
  });
}

export default defineWeb();
