import type { JsonObject } from '../../base/json.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { printable } from '../../base/text.ts';
import type { Command } from '../../contract/command.ts';
import type { Dialect, DialectHost } from '../../contract/dialect.ts';
import { plainInvocation, type Invocation } from '../../contract/invocation.ts';
import type { Reply } from '../../contract/reply.ts';
import { envelope } from './envelope.ts';
import { parseCall } from './parse-argv.ts';
import { readWords, type Named } from './words.ts';

/** The continuity contract's dialect: one line of JSON, exit 0 or 1, log lines on standard error, writes by request id. */
export const vybeDialect: Dialect = (argv, host) => {
  const say = (level: string, message: string, extra: JsonObject = {}): void =>
    host.output.stderr(
      `${JSON.stringify({ time: new Date(host.system.clock.now()).toISOString(), level, msg: printable(redactText(message)), ...extra })}\n`,
    );
  const words = lenient(argv);
  let invocation: Invocation | undefined;
  return {
    gate: words?.kind === 'command' && words.spec.requestId ? 'request-id' : 'open',
    parse: async () => {
      const named = words ?? readWords(argv);
      invocation =
        named.kind === 'command' && !asksForHelp(named.rest)
          ? await parseCall(named.spec, named.rest, host)
          : plainInvocation(await describingCommand(named));
      return invocation;
    },
    progress: (message) => say('info', message),
    warn: (message) => say('warn', message),
    isHelp: () => invocation?.command.path === '--help',
    render: async (reply) => {
      const isHook = words?.kind === 'command' && words.spec.hook === true;
      if (reply.kind === 'fault')
        say('error', reply.fault.message, { code: reply.fault.code, duration_ms: reply.durationMs });
      if (isHook) return renderHook(reply, host);
      return render(reply, words, invocation, host);
    },
  };
};

function render(
  reply: Reply,
  words: Named | undefined,
  invocation: Invocation | undefined,
  host: DialectHost,
): number {
  if (reply.kind === 'stream') throw new Error('no command of this dialect streams');
  if (reply.kind === 'value' && reply.raw !== undefined && invocation?.command.path === '--help') {
    host.output.stdout(reply.raw());
    return 0;
  }
  const show = words?.kind === 'command' && !invocation?.dryRun ? words.spec.show : undefined;
  const pretty = host.system.env.VYBE_PRETTY_JSON;
  const indent = pretty && pretty !== '0' && pretty !== 'false' ? 2 : 0;
  const answer = envelope(reply, (data) => show?.(data, (invocation?.params ?? {}) as JsonObject) ?? data);
  host.output.stdout(`${JSON.stringify(answer, null, indent)}\n`);
  return reply.kind === 'fault' ? 1 : 0;
}

/** A hook's host reads what is printed as context for its model; a failure must not stop its session. */
function renderHook(reply: Reply, host: DialectHost): number {
  const text = reply.kind === 'value' ? (reply.raw?.() ?? '') : '';
  if (text !== '') host.output.stdout(text);
  return 0;
}

function lenient(argv: readonly string[]): Named | undefined {
  try {
    return readWords(argv);
  } catch {
    return undefined;
  }
}

function asksForHelp(rest: readonly string[]): boolean {
  return rest.includes('--help') || rest.includes('-h');
}

async function describingCommand(named: Named): Promise<Command> {
  const { helpTextCommand, indexCommand, namespaceCommand, schemaCommand, versionCommand } =
    await import('./describe.ts');
  if (asksForHelp(named.rest)) return helpTextCommand(named.kind === 'index' ? '' : named.path);
  switch (named.kind) {
    case 'index':
      return named.rest.includes('--version') || named.rest.includes('-v')
        ? versionCommand()
        : indexCommand();
    case 'namespace':
      return namespaceCommand(named.path);
    case 'own': {
      if (named.path === 'schema commands') return schemaCommand();
      const topic = named.rest.filter((word) => !word.startsWith('-')).join(' ');
      return topic === '' ? indexCommand() : schemaCommand(topic);
    }
    case 'command':
      return schemaCommand(named.path);
  }
}
