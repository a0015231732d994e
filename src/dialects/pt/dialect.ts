import { redactText } from '../../base/secrets/redact.ts';
import { escapeJson, printable } from '../../base/text.ts';
import type { Dialect, DialectHost } from '../../contract/dialect.ts';
import { plainInvocation, type Invocation } from '../../contract/invocation.ts';
import type { Reply, StreamReply } from '../../contract/reply.ts';
import { answerOf, errorOf, previewOf } from './envelope.ts';
import { contractError } from './exit-code.ts';
import { parseCall, readVerb } from './parse-argv.ts';

/** The dialect of the process-triage contract: one line of JSON in its envelope, its error codes and exit codes; apply acts with `--yes`. */
export const ptDialect: Dialect = (argv, host) => {
  let invocation: Invocation | undefined;
  const log = (message: string): void => host.output.stderr(`pt: ${printable(redactText(message))}\n`);
  return {
    gate: 'open',
    parse: async () => {
      invocation = await parse(argv, host);
      return invocation;
    },
    progress: log,
    warn: log,
    isHelp: () => invocation?.command.path === '--help',
    render: (reply) => render(reply, argv, invocation, host),
  };
};

async function parse(argv: readonly string[], host: DialectHost): Promise<Invocation> {
  const asksForHelp = argv.includes('--help') || argv.includes('-h');
  if (argv[0] === '--version' || argv[0] === '-V')
    return plainInvocation((await import('./help.ts')).indexCommand());
  const named = readVerb(argv, host);
  if (asksForHelp) return plainInvocation((await import('./help.ts')).helpCommand(named?.verb));
  if (named === undefined) return plainInvocation((await import('./help.ts')).indexCommand());
  return parseCall(named.verb, named.rest, host);
}

async function render(
  reply: Reply,
  argv: readonly string[],
  invocation: Invocation | undefined,
  host: DialectHost,
): Promise<number> {
  const sessionId = sessionOf(argv);
  const print = (value: unknown): void => host.output.stdout(`${escapeJson(JSON.stringify(value))}\n`);
  switch (reply.kind) {
    case 'fault':
      print(errorOf(reply.fault, host, sessionId));
      return contractError(reply.fault).exit;
    case 'stream':
      return renderStream(reply, host, print);
    case 'value': {
      const isHelp = invocation?.command.path === '--help';
      if (isHelp && reply.raw !== undefined) {
        const { wrapHelp } = await import('../wrap-help.ts');
        host.output.stdout(wrapHelp(reply.raw(), host.output.columns));
      } else if (wantsHtml(argv) && reply.raw !== undefined) host.output.stdout(reply.raw());
      else if (invocation?.dryRun) print(previewOf(reply.data, host, sessionId));
      else print(answerOf(reply.data, host, sessionId));
      return 0;
    }
  }
}

async function renderStream(
  reply: StreamReply,
  host: DialectHost,
  print: (value: unknown) => void,
): Promise<number> {
  let exit = 0;
  for await (const line of reply.lines) {
    if (line.type === 'error') {
      exit = contractError(line.fault).exit;
      print(errorOf(line.fault, host, null));
    } else if (line.type === 'item') print(answerOf(line.data, host, null));
    else print(answerOf({ event: 'watch.ended', ...line.data }, host, null));
  }
  return exit;
}

/** Finds the session id even in a command line that cannot be parsed, so that the error contains it. */
function sessionOf(argv: readonly string[]): string | null {
  const at = argv.indexOf('--session');
  const joined = argv.find((word) => word.startsWith('--session='))?.slice('--session='.length);
  const named = joined ?? (at < 0 ? undefined : argv[at + 1]);
  return named === undefined || named.startsWith('--') ? null : printable(named.slice(0, 80));
}

function wantsHtml(argv: readonly string[]): boolean {
  return argv.includes('--format=html') || argv[argv.indexOf('--format') + 1] === 'html';
}
